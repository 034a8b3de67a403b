// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/blocks.h"

#include "taihu/base/contract.h"

namespace taihu::schedule {

Blocks equal_blocks(int members, std::size_t count) {
  expect(members >= 1, "members >= 1");
  Blocks blocks;
  blocks.starts.reserve(static_cast<std::size_t>(members) + 1);
  for (int k = 0; k < members; ++k) blocks.starts.push_back(blocks.starts.back() + count);
  return blocks;
}

Blocks split_blocks(int members, std::size_t count, std::size_t granule) {
  expect(members >= 1, "members >= 1");
  expect(granule > 0, "granule > 0");
  const std::size_t granules = count / granule;
  const std::size_t share = granules / static_cast<std::size_t>(members);
  const std::size_t longer = granules % static_cast<std::size_t>(members);
  Blocks blocks;
  blocks.starts.reserve(static_cast<std::size_t>(members) + 1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(members); ++k) {
    blocks.starts.push_back(blocks.starts.back() + (share + (k < longer ? 1 : 0)) * granule);
  }
  blocks.starts.back() = count;
  return blocks;
}

Blocks rotate_blocks(const Blocks& blocks, int first) {
  expect(0 <= first && first < blocks.members(), "0 <= first < members");
  Blocks rotated;
  const int members = blocks.members();
  for (int k = 0; k < members; ++k) {
    rotated.starts.push_back(rotated.starts.back() + blocks.count((first + k) % members));
  }
  return rotated;
}

}  // namespace taihu::schedule
