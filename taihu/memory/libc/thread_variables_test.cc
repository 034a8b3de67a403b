// SPDX-License-Identifier: Apache-2.0
// Distances below the thread pointer. Programs with such variables are run by tests/ranks.
#include "taihu/memory/libc/thread_variables.h"

#include <gtest/gtest.h>

namespace taihu::memory {
namespace {

Elf64_Phdr segment(std::uint64_t address, std::uint64_t bytes, std::uint64_t alignment) {
  Elf64_Phdr result{};
  result.p_type = PT_TLS;
  result.p_vaddr = address;
  result.p_memsz = bytes;
  result.p_align = alignment;
  return result;
}

TEST(ThreadVariableDistance, IsTheSizeWhereTheBlockEndsAligned) {
  EXPECT_EQ(thread_variable_distance(segment(0x3d80, 64, 64)), 64);
  EXPECT_EQ(thread_variable_distance(segment(0x3dac, 4, 4)), 4);
  EXPECT_EQ(thread_variable_distance(segment(0x1000, 0, 0)), 0);
}

TEST(ThreadVariableDistance, IsTheLeastBehindOthersThatKeepsTheAlignment) {
  for (std::uint64_t alignment = 1; alignment <= 64; alignment *= 2)
    for (std::uint64_t address = 0x2000; address < 0x2000 + 2 * alignment; ++address)
      for (const std::uint64_t bytes : {1, 7, 32, 100})
        for (const std::uint64_t taken : {0, 1, 36, 64, 200}) {
          const std::uint64_t distance = thread_variable_distance(segment(address, bytes, alignment), taken);
          EXPECT_GE(distance, taken + bytes);
          EXPECT_LT(distance, taken + bytes + alignment);
          EXPECT_EQ((address + distance) % alignment, 0) << "the thread pointer is aligned";
        }
}

}  // namespace
}  // namespace taihu::memory
