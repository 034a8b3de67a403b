// SPDX-License-Identifier: Apache-2.0
// Neutrons that pass surfaces, kept for a file from which another run starts (a surface source).
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/particle/site.h"

namespace taihu::neutron {

/// What is kept.
struct SurfaceBanking {
  enum class Side { any, from, to };
  bool wanted = false;
  std::vector<bool> surfaces;  ///< by index
  int cell = -1;               ///< index of the one that is left or entered; -1: no matter
  Side side = Side::any;       ///< whether it has to be left, or entered
  std::int64_t most = 0;       ///< neutrons of a file
  int files = 1;               ///< that are written; a file that is full begins the next one
  bool mcpl = false;           ///< they are in MCPL format
};

/// A neutron that has passed a surface.
struct Passage {
  Site site;
  std::uint64_t history = 0;
  std::uint32_t number = 0;  ///< in the history
  std::int32_t surface = 0;  ///< id
};

}  // namespace taihu::neutron
