// SPDX-License-Identifier: Apache-2.0
// A buffer cut into one block per member, in member order and without gaps.
#pragma once

#include <cstddef>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::schedule {

/// Invariant: starts.size() == members + 1; block k is the units [starts[k], starts[k+1]).
struct Blocks {
  std::vector<std::size_t> starts{0};

  int members() const noexcept { return static_cast<int>(starts.size()) - 1; }
  std::size_t total() const noexcept { return starts.back() - starts.front(); }
  /// `block` may be members(): where the last block ends.
  std::size_t start(int block) const noexcept {
    expect(0 <= block && block <= members(), "0 <= block <= members");
    return starts[static_cast<std::size_t>(block)];
  }
  std::size_t count(int block) const noexcept { return start(block + 1) - start(block); }
};

/// `members` blocks of `count` units each.
Blocks equal_blocks(int members, std::size_t count);

/// `count` units cut into `members` nearly equal blocks at multiples of `granule` units; the first ones get
/// one granule more, the last one what is left over.
Blocks split_blocks(int members, std::size_t count, std::size_t granule = 1);

/// The same blocks in the order first, first + 1, ..., members - 1, 0, ..., first - 1, starting at 0: block k
/// of the answer is block (first + k) % members.
Blocks rotate_blocks(const Blocks& blocks, int first);

}  // namespace taihu::schedule
