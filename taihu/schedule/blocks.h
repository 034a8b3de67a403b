// SPDX-License-Identifier: Apache-2.0
// A buffer cut into one block per member, in member order and without gaps.
#pragma once

#include <cstddef>
#include <vector>

namespace taihu::schedule {

/// Invariant: starts.size() == members + 1; block k is [starts[k], starts[k+1]).
struct Blocks {
  std::vector<std::size_t> starts{0};

  int members() const noexcept { return static_cast<int>(starts.size()) - 1; }
  std::size_t total_bytes() const noexcept { return starts.back() - starts.front(); }
  std::size_t start(int block) const noexcept { return starts[static_cast<std::size_t>(block)]; }
  std::size_t bytes(int block) const noexcept { return start(block + 1) - start(block); }
};

/// `members` blocks of `block_bytes` each.
Blocks equal_blocks(int members, std::size_t block_bytes);

/// `bytes` cut into `members` nearly equal blocks at multiples of `granule_bytes`; the first ones get one
/// granule more. `granule_bytes` divides `bytes`.
Blocks split_blocks(int members, std::size_t bytes, std::size_t granule_bytes);

/// The same blocks in the order first, first + 1, ..., members - 1, 0, ..., first - 1, starting at 0: block k
/// of the answer is block (first + k) % members.
Blocks rotate_blocks(const Blocks& blocks, int first);

}  // namespace taihu::schedule
