// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/nuclide_data.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

void check_values(std::vector<double>& values, const std::string& what) {
  for (double& value : values) {
    check_input(std::isfinite(value) && value > -1e-3, what + ": a cross section is negative or not finite");
    value = std::fmax(value, 0.0);
  }
}

void check_reactions(std::vector<ReactionValues>& reactions, const std::vector<NeutronReaction>& known,
                     std::size_t points, const std::string& what) {
  check_input(reactions.size() == known.size(), what + ": a reaction has no cross section");
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    const std::string reaction = what + ", reaction " + std::to_string(known[i].mt);
    check_input(reactions[i].first + reactions[i].values.size() == points,
                reaction + ": the cross section does not fit to the grid of energies");
    check_values(reactions[i].values, reaction);
  }
}

/// Heating numbers may be negative.
void check_tallied(const NuclideData& data, const NuclideData::AtTemperature& at, std::size_t points,
                   const std::string& what) {
  check_input(at.tallied.size() == data.tallied.size(), what + ": a tallied reaction has no cross section");
  for (std::size_t i = 0; i < at.tallied.size(); ++i)
    check_input(at.tallied[i].first + at.tallied[i].values.size() == points &&
                    std::all_of(at.tallied[i].values.begin(), at.tallied[i].values.end(),
                                [](double value) { return std::isfinite(value); }),
                what + ", reaction " + std::to_string(data.tallied[i]) +
                    ": the cross section does not fit to the grid of energies or is not finite");
}

void check_temperature(NuclideData& data, NuclideData::AtTemperature& at, const std::string& what) {
  check_input(at.kT >= 0 && std::isfinite(at.kT), what + ": impossible temperature");
  const std::size_t points = at.energy.size();
  check_input(points >= 2 && at.energy.front() > 0 && std::isfinite(at.energy.back()) &&
                  std::is_sorted(at.energy.begin(), at.energy.end()) && at.energy.front() < at.energy.back(),
              what + ": the grid of energies has to rise");
  check_input(at.elastic.size() == points && at.disappearance.size() == points && at.capture.size() == points,
              what + ": a cross section does not fit to the grid of energies");
  check_values(at.elastic, what);
  check_values(at.disappearance, what);
  check_values(at.capture, what);
  check_reactions(at.scattering, data.scattering, points, what);
  check_reactions(at.fission, data.fission, points, what);
  check_tallied(data, at, points, what);
  if (!at.unresolved.energy.empty()) at.unresolved.check(what);
}

}  // namespace

void check(NuclideData& data, const std::string& path) {
  const std::string what = path + ": " + data.name;
  check_input(data.awr > 0 && std::isfinite(data.awr), what + ": impossible mass");
  check_input(!data.temperatures.empty(), what + ": there is no temperature");
  for (const auto* list : {&data.scattering, &data.fission})
    for (const NeutronReaction& reaction : *list) {
      check_input(!reaction.products.empty(),
                  what + ", reaction " + std::to_string(reaction.mt) + ": there are no neutrons");
      for (const NeutronProduct& product : reaction.products)
        check_input(product.law != nullptr,
                    what + ", reaction " + std::to_string(reaction.mt) + ": neutrons have no spectrum");
    }
  for (NuclideData::AtTemperature& at : data.temperatures) check_temperature(data, at, what);
}

}  // namespace taihu::neutron
