// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/checked.h"

#include <gtest/gtest.h>

#include <cstring>

namespace checked = taihu::memory::heap::checked;

namespace {

char* block(std::size_t bytes) {
  return static_cast<char*>(checked::allocate(bytes));
}

TEST(CheckedHeap, RightUseIsQuiet) {
  for (std::size_t bytes : {0u, 1u, 15u, 16u, 1000u, 30000u, 70000u, 5000000u}) {
    char* one = block(bytes);
    memset(one, 1, bytes);
    EXPECT_EQ(checked::usable_bytes(one), bytes);
    one = static_cast<char*>(checked::reallocate(one, bytes + 50));
    memset(one, 2, bytes + 50);
    checked::free(one);
    for (std::size_t alignment : {16u, 64u, 4096u, 65536u, 1048576u}) {
      void* aligned = checked::allocate_aligned(alignment, bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % alignment, 0u);
      memset(aligned, 3, bytes);
      checked::free(aligned);
    }
  }
  for (int round = 0; round < 20000; ++round) checked::free(block(100));  // more than the quarantine holds
  for (int round = 0; round < 100; ++round) checked::free(block(1 << 20));
}

TEST(CheckedHeapDeathTest, DoubleFree) {
  char* one = block(40);
  checked::free(one);
  EXPECT_DEATH(checked::free(one), "double free: the block of 40 bytes at 0x[0-9a-f]+ is already free");
  EXPECT_DEATH(checked::reallocate(one, 80), "double free");
}

TEST(CheckedHeapDeathTest, InvalidFree) {
  char* one = block(100);
  int local = 0;
  EXPECT_DEATH(checked::free(one + 32),
               "invalid free\\(\\) of 0x[0-9a-f]+, which is not the begin of a block");
  EXPECT_DEATH(checked::free(one + 1), "invalid free");
  EXPECT_DEATH(checked::free(&local), "which does not belong to the heap");
  checked::free(one);
}

TEST(CheckedHeapDeathTest, Overflow) {
  for (std::size_t bytes : {1u, 40u, 1000u, 100000u}) {
    char* one = block(bytes);
    one[bytes] = 'x';
    EXPECT_DEATH(checked::free(one),
                 "overflow: bytes behind the block of [0-9]+ bytes at 0x[0-9a-f]+ were overwritten");
    one[bytes] = static_cast<char>(0xa7);
    checked::free(one);
  }
}

TEST(CheckedHeapDeathTest, Underflow) {
  char* one = block(40);
  const char before = one[-16];
  one[-16] = static_cast<char>(before + 1);
  EXPECT_DEATH(checked::free(one), "the bytes before it were overwritten");
  one[-16] = before;
  checked::free(one);
}

TEST(CheckedHeapDeathTest, WriteAfterFree) {
  EXPECT_DEATH(
      {
        char* one = block(40);
        checked::free(one);
        one[3] = 'x';
        for (int round = 0; round < 10000; ++round) checked::free(block(40));
      },
      "use after free: the freed block of 40 bytes at 0x[0-9a-f]+ was written to");
}

}  // namespace
