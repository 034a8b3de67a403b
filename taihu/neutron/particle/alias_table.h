// SPDX-License-Identifier: Apache-2.0
// Sampling of a discrete distribution with one random number and one table look-up, however many outcomes.
// Source: A. J. Walker, ACM TOMS 3 (1977); set-up after M. D. Vose, IEEE TSE 17 (1991).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {

struct AliasEntry {
  double threshold = 1;  ///< the slot itself below it, the alias above
  std::int32_t self = 0, alias = 0;
};

/// Entries of the distribution proportional to `weights`; outcome i of it is named `first_name + i`. Weights
/// are non-negative and not all 0.
std::vector<AliasEntry> make_alias_table(std::span<const double> weights, int first_name);

inline int sample(std::span<const AliasEntry> table, Stream& random) noexcept {
  const double scaled = random.uniform() * static_cast<double>(table.size());
  const auto slot = static_cast<std::size_t>(scaled);
  const AliasEntry& entry = table[slot];
  return scaled - static_cast<double>(slot) < entry.threshold ? entry.self : entry.alias;
}

}  // namespace taihu::neutron
