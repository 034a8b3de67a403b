// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/data/copy.h"

#include <gtest/gtest.h>

#include <vector>

#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

using Copy = void (*)(void*, const void*, std::size_t) noexcept;

// Everything between two guards, for all relative offsets.
void check_copy(Copy copy, std::size_t bytes) {
  for (const std::size_t from : {0, 1, 8, 15}) {
    for (const std::size_t to : {0, 1, 4, 8, 31}) {
      std::vector<std::byte> source(bytes + 64);
      std::vector<std::byte> target(bytes + 128, std::byte{0xee});
      fill_pattern(source.data() + from, bytes, bytes + from);
      copy(target.data() + 32 + to, source.data() + from, bytes);
      ASSERT_TRUE(has_pattern(target.data() + 32 + to, bytes, bytes + from))
          << bytes << " " << from << " " << to;
      for (std::size_t i = 0; i < 32 + to; ++i) ASSERT_EQ(target[i], std::byte{0xee});
      for (std::size_t i = 32 + to + bytes; i < target.size(); ++i) ASSERT_EQ(target[i], std::byte{0xee});
    }
  }
}

TEST(CopyBytes, CopiesExactlyTheRange) {
  for (const std::size_t bytes :
       {0, 1, 7, 63, 64, 65, 2047, 2048, 2049, 2175, 4096, 4099, 16384, 65537, 300001}) {
    check_copy(copy_bytes, bytes);
    check_copy(copy_bytes_portable, bytes);
  }
}

TEST(CopyBytes, NothingToCopyTouchesNoMemory) {
  std::byte target{7};
  const std::byte source{9};
  for (const auto copy : {copy_bytes, copy_bytes_portable}) {
    copy(nullptr, nullptr, 0);  // a wrong read or write would be a segmentation fault
    copy(&target, &source, 0);
    EXPECT_EQ(target, std::byte{7});
  }
}

}  // namespace
}  // namespace taihu::message
