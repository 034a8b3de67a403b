// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/majorant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace taihu::neutron {
namespace {

/// Bins may be merged as long as the mean of the bound grows by less than this.
constexpr double slack = 1.03;
/// Look-ups interpolate and sum in another order than the bound.
constexpr double rounding = 1 + 1e-6;

/// A nuclide with its thermal table; listed once, however many media contain it.
using Kind = std::tuple<NuclideId, ThermalId, double>;

Kind kind_of(const MediumPart& part) {
  return {part.nuclide, part.thermal, part.thermal ? part.thermal_fraction : 0};
}

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

}  // namespace

Majorant::Majorant(const NuclearData& data) {
  std::map<Kind, std::size_t> kinds;
  std::vector<const MediumPart*> parts;
  for (int medium = 0; medium < data.media(); ++medium)
    for (const MediumPart& part : data.parts(MediumId(medium)))
      if (kinds.try_emplace(kind_of(part), parts.size()).second) parts.push_back(&part);
  const auto key_of = [](Energy e) { return std::bit_cast<std::uint64_t>(e.eV()) >> key_shift; };
  first_key_ = key_of(data.energy_min());
  const std::uint64_t last = key_of(data.energy_max());
  std::vector<std::vector<double>> most(parts.size());
  for (std::uint64_t key = first_key_; key <= last; ++key) {
    const auto energy_at = [&](std::uint64_t bits) {
      return std::clamp(Energy(std::bit_cast<double>((key << key_shift) + bits)), data.energy_min(),
                        data.energy_max());
    };
    std::size_t points = 0;
    for (const MediumPart* part : parts)
      points += data.points_between(*part, energy_at(0), energy_at(std::uint64_t{1} << key_shift));
    const std::size_t cuts = cuts_for(points, std::size_t{1} << most_cuts);
    const std::uint64_t width = (std::uint64_t{1} << key_shift) / cuts;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      most[p].resize(cuts);
      for (std::size_t i = 0; i < cuts; ++i)
        most[p][i] = data.most_between(*parts[p], energy_at(i * width), energy_at((i + 1) * width));
    }
    std::vector<double> fine(cuts);
    for (int medium = 0; medium < data.media(); ++medium) {
      std::vector<double> sum(cuts);
      for (const MediumPart& part : data.parts(MediumId(medium))) {
        const std::vector<double>& of_part = most[kinds.at(kind_of(part))];
        for (std::size_t i = 0; i < cuts; ++i) sum[i] += part.density * of_part[i];
      }
      for (std::size_t i = 0; i < cuts; ++i) fine[i] = std::max(fine[i], sum[i]);
    }
    add_key(std::move(fine));
  }
}

/// Adds the bins of the next key, as few as are accurate enough.
void Majorant::add_key(std::vector<double> fine) {
  const double mean = sum_of(fine) / static_cast<double>(fine.size());
  while (fine.size() > 1) {
    std::vector<double> coarse = merged(fine);
    if (sum_of(coarse) > slack * mean * static_cast<double>(coarse.size())) break;
    fine = std::move(coarse);
  }
  Key key;
  key.first = static_cast<std::uint32_t>(bounds_.size());
  key.mask = static_cast<std::uint16_t>(fine.size() - 1);
  key.shift = static_cast<std::uint16_t>(key_shift - std::countr_zero(fine.size()));
  keys_.push_back(key);
  for (const double bound : fine) bounds_.push_back(rounded_up(bound * rounding));
}

}  // namespace taihu::neutron
