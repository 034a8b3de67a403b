// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/blocks.h"

#include "taihu/base/error.h"

namespace taihu::schedule {

Blocks equal_blocks(int members, std::size_t block_bytes) {
  Blocks blocks;
  for (int k = 0; k < members; ++k) blocks.starts.push_back(blocks.starts.back() + block_bytes);
  return blocks;
}

Blocks split_blocks(int members, std::size_t bytes, std::size_t granule_bytes) {
  TAIHU_EXPECT(granule_bytes > 0 && bytes % granule_bytes == 0);
  const std::size_t granules = bytes / granule_bytes;
  const std::size_t share = granules / static_cast<std::size_t>(members);
  const std::size_t longer = granules % static_cast<std::size_t>(members);
  Blocks blocks;
  for (std::size_t k = 0; k < static_cast<std::size_t>(members); ++k) {
    blocks.starts.push_back(blocks.starts.back() + (share + (k < longer ? 1 : 0)) * granule_bytes);
  }
  return blocks;
}

Blocks rotate_blocks(const Blocks& blocks, int first) {
  Blocks rotated;
  const int members = blocks.members();
  for (int k = 0; k < members; ++k) {
    rotated.starts.push_back(rotated.starts.back() + blocks.bytes((first + k) % members));
  }
  return rotated;
}

}  // namespace taihu::schedule
