// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace taihu {
namespace {

TEST(Checksum, TellsEveryBitByteOrderLengthAndSeedApart) {
  std::vector<unsigned char> block(37);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<unsigned char>(i * 7);
  std::set<std::uint64_t> seen;
  for (std::size_t bytes = 0; bytes <= block.size(); ++bytes)
    EXPECT_TRUE(seen.insert(checksum(block.data(), bytes)).second) << bytes;
  for (std::size_t bit = 0; bit < block.size() * 8; ++bit) {
    block[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    EXPECT_TRUE(seen.insert(checksum(block.data(), block.size())).second) << bit;
    block[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
  }
  std::swap(block[3], block[20]);
  EXPECT_TRUE(seen.insert(checksum(block.data(), block.size())).second);
  EXPECT_TRUE(seen.insert(checksum(block.data(), block.size(), 1)).second);
}

TEST(Checksum, ZerosOfDifferentLengthsDiffer) {
  const std::vector<unsigned char> zeros(64);
  std::set<std::uint64_t> seen;
  for (std::size_t bytes = 0; bytes <= zeros.size(); ++bytes)
    EXPECT_TRUE(seen.insert(checksum(zeros.data(), bytes)).second) << bytes;
}

}  // namespace
}  // namespace taihu
