// SPDX-License-Identifier: Apache-2.0
// From a sample of accesses to parts: which stretch of a block is used from which node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace taihu::memory {

/// One access that was seen.
struct ObservedUse {
  const std::byte* place = nullptr;
  int thread = -1;  ///< number in the map of threads; -1 when it is not known
  int node = 0;     ///< that the thread ran on
};

/// Parts in the order of the block, each with the node and the thread that used it most.
struct UsedParts {
  std::vector<std::size_t> part_end;  ///< bytes
  std::vector<int> node, thread;
};

/// Fewer accesses than these tell nothing about a block.
inline constexpr std::size_t least_uses = 16;

/// `uses` are those of one block, sorted by place. Accesses of others, up to a third, are taken for chance,
/// or for a thread that goes over all of it now and then; boundaries are put half way between accesses. Empty
/// when there are too few accesses, or when nodes change all the time: then nobody owns a stretch.
UsedParts parts_of_use(const std::byte* begin, std::size_t bytes, std::span<const ObservedUse> uses);

}  // namespace taihu::memory
