// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/flight_choice.h"

#include <algorithm>
#include <numeric>

#include "taihu/parallel/loop.h"

namespace taihu::neutron {
namespace {

// A flight of either kind takes about as long: if one were 0.7 or 1.5 times as long as the other, the time of
// C5G7 and of assemblies would change by 2 %. So the kind that needs fewer flights is taken.

/// Energies of a bin that are looked at.
constexpr int samples = 16;

}  // namespace

FlightChoice::FlightChoice(const CrossSections& data, const MediaSurvey& survey)
    : columns_(static_cast<std::size_t>(data.materials()) + 1) {
  for (int group = 0; group < data.groups(); ++group)
    for (int material = -1; material < data.materials(); ++material) {
      const double total = material < 0 ? 0 : data.total(MaterialId(material), GroupId(group));
      const double surfaces = total + survey.surfaces_per_cm(material);
      choices_.push_back(data.majorant()[group] > 0 && data.majorant()[group] <= surfaces);
    }
}

FlightChoice::FlightChoice(const NuclearData& data, const Majorant& majorant, const MediaSurvey& survey,
                           const parallel::Team& team)
    : columns_(static_cast<std::size_t>(data.media()) + 1) {
  const auto key_of = [](double energy) { return std::bit_cast<std::uint64_t>(energy) >> key_shift; };
  const double least = data.energy_min().eV(), most = data.energy_max().eV();
  first_key_ = key_of(least);
  const auto bins = static_cast<std::int64_t>(key_of(most) - first_key_) + 1;
  choices_.resize(static_cast<std::size_t>(bins) * columns_);
  parallel::parallel_for(team, {.chunk = 1}, bins, [&](int, std::int64_t bin) {
    const std::uint64_t key = first_key_ + static_cast<std::uint64_t>(bin);
    const double low = std::max(std::bit_cast<double>(key << key_shift), least);
    const double high = std::min(std::bit_cast<double>((key + 1) << key_shift), most);
    const auto mean = [&](const auto& value) {
      double sum = 0;
      for (int i = 0; i < samples; ++i) sum += value(low + (i + 0.5) / samples * (high - low));
      return sum / samples;
    };
    const double bound = mean([&](double energy) { return majorant.at(Energy(energy)); });
    for (int medium = -1; medium < data.media(); ++medium) {
      MacroXs xs{};
      const double total = medium < 0 ? 0 : mean([&](double energy) {
        data.look_up(MediumId(medium), Energy(energy), 0, xs);
        return xs[static_cast<int>(Reaction::total)];
      });
      choices_[static_cast<std::size_t>(bin) * columns_ + static_cast<std::size_t>(medium + 1)] =
          bound > 0 && bound <= total + survey.surfaces_per_cm(medium) ? 1 : 0;
    }
  });
}

double FlightChoice::delta_share() const noexcept {
  return static_cast<double>(std::accumulate(choices_.begin(), choices_.end(), std::int64_t{0})) /
         static_cast<double>(choices_.size());
}

}  // namespace taihu::neutron
