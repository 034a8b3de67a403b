// SPDX-License-Identifier: Apache-2.0
// Filters that do not choose a bin but a factor: functions of the energy, and the functions of expansions.
#pragma once

#include <span>

#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

/// Product of the filters that weigh.
double weight_of(const TallyLayout::CompiledTally& tally, const Event& event) noexcept;

/// Values of the functions of an expansion, as many as the filter has bins.
void moments_of(const Filter& filter, const Event& event, std::span<double> values) noexcept;

}  // namespace taihu::neutron
