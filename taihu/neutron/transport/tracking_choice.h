// SPDX-License-Identifier: Apache-2.0
// Which kind of flights a model gets: to surfaces, delta flights, or both.
#pragma once

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// How neutrons of a run of `model` are tracked; not automatic. Throws Error when the settings ask for delta
/// flights and something needs surfaces.
Tracking choose_tracking(const Model& model);

/// Nuclides in all media, where nothing but their number made the choice surface tracking; else 0.
std::size_t nuclides_beyond_bound(const Model& model);

}  // namespace taihu::neutron
