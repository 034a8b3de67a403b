// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/majorant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "taihu/parallel/loop.h"

namespace taihu::neutron {
namespace {

/// Bins may be merged as long as the mean of the bound grows by less than this.
constexpr double slack = 1.03;
/// Look-ups interpolate and sum in another order than the bound.
constexpr double rounding = 1 + 1e-6;

/// Keys that a thread takes at once.
constexpr int keys_at_once = 16;

/// The nuclides of all media. One with the same thermal table is listed once, however many media contain it.
struct Composition {
  struct Share {
    std::size_t part = 0;
    double density = 0;
  };
  std::vector<const MediumPart*> parts;
  std::vector<std::vector<Share>> media;

  explicit Composition(const NuclearData& data) {
    std::map<std::tuple<NuclideId, ThermalId, double>, std::size_t> known;
    for (int medium = 0; medium < data.media(); ++medium) {
      media.emplace_back();
      for (const MediumPart& part : data.parts(MediumId(medium))) {
        const double fraction = part.thermal ? part.thermal_fraction : 0;
        const auto [place, added] = known.try_emplace({part.nuclide, part.thermal, fraction}, parts.size());
        if (added) parts.push_back(&part);
        media.back().push_back({place->second, part.density});
      }
    }
  }
};

float rounded_up(double value) {
  const auto narrow = static_cast<float>(value);
  return narrow < value ? std::nextafter(narrow, std::numeric_limits<float>::infinity()) : narrow;
}

/// Largest of each two neighbours.
std::vector<double> merged(const std::vector<double>& fine) {
  std::vector<double> coarse(fine.size() / 2);
  for (std::size_t i = 0; i < coarse.size(); ++i) coarse[i] = std::max(fine[2 * i], fine[2 * i + 1]);
  return coarse;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Bins that a key is cut into at first: about as many as it has points.
std::size_t cuts_for(std::size_t points, std::size_t most) {
  return std::clamp<std::size_t>(std::bit_ceil(points), 1, most);
}

/// Bins as few as are accurate enough.
std::vector<double> thinned(std::vector<double> fine) {
  const double mean = sum_of(fine) / static_cast<double>(fine.size());
  while (fine.size() > 1) {
    std::vector<double> coarse = merged(fine);
    if (sum_of(coarse) > slack * mean * static_cast<double>(coarse.size())) break;
    fine = std::move(coarse);
  }
  return fine;
}

/// Bounds for the energies of one key, of all media. Used by one thread.
class KeyBounds {
 public:
  KeyBounds(const NuclearData& data, const Composition& composition)
      : data_(&data), composition_(&composition) {}

  /// Of at most `most_cuts` bins between the numbers whose bits are `first` and `end`.
  std::vector<double> between(std::uint64_t first, std::uint64_t end, std::size_t most_cuts) {
    const auto energy_at = [&](std::uint64_t bits) {
      return std::clamp(Energy(std::bit_cast<double>(bits)), data_->energy_min(), data_->energy_max());
    };
    std::size_t points = 0;
    for (const MediumPart* part : composition_->parts)
      points += data_->points_between(*part, energy_at(first), energy_at(end));
    const std::size_t cuts = cuts_for(points, most_cuts);
    edges_.resize(cuts + 1);
    for (std::size_t i = 0; i <= cuts; ++i) edges_[i] = energy_at(first + i * ((end - first) / cuts)).eV();
    most_.resize(composition_->parts.size() * cuts);
    for (std::size_t p = 0; p < composition_->parts.size(); ++p)
      data_->most_between(*composition_->parts[p], edges_, std::span(most_).subspan(p * cuts, cuts));
    return largest_sums(cuts);
  }

 private:
  std::vector<double> largest_sums(std::size_t cuts) {
    std::vector<double> largest(cuts);
    for (const std::vector<Composition::Share>& medium : composition_->media) {
      sum_.assign(cuts, 0);
      for (const auto& [part, density] : medium) {
        const double* const of_part = most_.data() + part * cuts;
        for (std::size_t i = 0; i < cuts; ++i) sum_[i] += density * of_part[i];
      }
      for (std::size_t i = 0; i < cuts; ++i) largest[i] = std::max(largest[i], sum_[i]);
    }
    return largest;
  }

  const NuclearData* data_;
  const Composition* composition_;
  std::vector<double> edges_, sum_;
  std::vector<double> most_;  ///< [part][bin]
};

}  // namespace

Majorant::Majorant(const NuclearData& data, const parallel::Team& team) {
  const Composition composition(data);
  const auto key_of = [](Energy e) { return std::bit_cast<std::uint64_t>(e.eV()) >> key_shift; };
  first_key_ = key_of(data.energy_min());
  std::vector<std::vector<double>> keys(key_of(data.energy_max()) - first_key_ + 1);
  std::vector<KeyBounds> of_thread(team.size(), KeyBounds(data, composition));
  parallel::parallel_for(team, {.chunk = keys_at_once}, std::ssize(keys), [&](int thread, std::int64_t i) {
    const std::uint64_t key = first_key_ + static_cast<std::uint64_t>(i);
    keys[i] = thinned(
        of_thread[thread].between(key << key_shift, (key + 1) << key_shift, std::size_t{1} << most_cuts));
  });
  for (const std::vector<double>& key : keys) add_key(key);
}

void Majorant::add_key(const std::vector<double>& bounds) {
  Key key;
  key.first = static_cast<std::uint32_t>(bounds_.size());
  key.mask = static_cast<std::uint16_t>(bounds.size() - 1);
  key.shift = static_cast<std::uint16_t>(key_shift - std::countr_zero(bounds.size()));
  keys_.push_back(key);
  for (const double bound : bounds) bounds_.push_back(rounded_up(bound * rounding));
}

}  // namespace taihu::neutron
