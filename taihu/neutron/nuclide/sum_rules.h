// SPDX-License-Identifier: Apache-2.0
// Reactions that are sums of others. A library may list the sum, its parts, or both.
#pragma once

#include <span>
#include <vector>

#include "taihu/neutron/nuclide/nuclide_data.h"

namespace taihu::neutron {

/// ENDF numbers (MT) of the reactions that `mt` is the sum of, such as levels and continuum of (n,p); empty:
/// it is no sum, or one of sums (all absorption, all that is not elastic). Source: the table of sum rules of
/// the ENDF-6 Formats Manual (BNL-203218-2018-INRE).
std::vector<int> parts_of_sum(int mt);
/// The reaction that `mt` is a part of; 0: none.
int sum_of_part(int mt) noexcept;

/// Sum of cross sections that all end with the same grid of energies. At least one.
ReactionValues sum_of_reactions(std::span<const ReactionValues> parts);

}  // namespace taihu::neutron
