// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/tracking_choice.h"

#include <algorithm>
#include <string>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

/// Sum over media up to which delta flights are chosen by themselves. Beyond, as with fuel that has burnt in
/// many places, the sums of the bound would take long.
constexpr std::size_t most_nuclides_for_bound = 10'000;

bool needs_surfaces(const Model& model) {
  return needs_surface_tracking(model.tallies) || model.settings.surface_banking.wanted ||
         model.geometry.inner_boundaries;
}

std::size_t nuclides_in_media(const NuclearData& data) {
  std::size_t sum = 0;
  for (int medium = 0; medium < data.media(); ++medium) sum += data.parts(MediumId(medium)).size();
  return sum;
}

/// Whether delta flights end inside of the model, at all energies. Where nothing is hit they pass it in one
/// flight, and no flux is counted on its way.
bool delta_flights_end(const Model& model) {
  if (model.nuclear) return model.nuclear->media() > 0;
  return model.data.materials() > 0 &&
         std::ranges::all_of(model.data.majorant(), [](double largest) { return largest > 0; });
}

}  // namespace

Tracking choose_tracking(const Model& model) {
  const Tracking wanted = model.settings.tracking;
  const bool banking = model.settings.surface_banking.wanted, inner = model.geometry.inner_boundaries;
  if (wanted == Tracking::delta || wanted == Tracking::hybrid) {
    check_input(!banking, model.settings.place +
                              "surf_source_write needs surfaces, which delta flights do not see; use "
                              "--tracking surface");
    check_input(
        wanted == Tracking::hybrid || delta_flights_end(model),
        model.settings.place +
            "in a void, or at energies without cross sections, delta flights have no end; use --tracking "
            "surface");
    for (const Tally& tally : model.tallies)
      check_input(!needs_surface_tracking({tally}),
                  tally.place + "tally " + std::to_string(tally.id) +
                      " uses track lengths or currents, which delta flights do not have; use --tracking "
                      "surface");
    check_input(!inner, model.settings.place +
                            "a boundary is inside a universe other than the root, where delta flights do "
                            "not see it; use --tracking surface");
  }
  if (wanted != Tracking::automatic) return wanted;
  return needs_surfaces(model) || nuclides_beyond_bound(model) > 0 ? Tracking::surface : Tracking::hybrid;
}

std::size_t nuclides_beyond_bound(const Model& model) {
  if (model.settings.tracking != Tracking::automatic || !model.nuclear || needs_surfaces(model)) return 0;
  const std::size_t nuclides = nuclides_in_media(*model.nuclear);
  return nuclides > most_nuclides_for_bound ? nuclides : 0;
}

}  // namespace taihu::neutron
