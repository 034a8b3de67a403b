// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/attached_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace taihu::mpi::windows {
namespace {

class AttachedMemoryTest : public testing::Test {
 protected:
  std::uintptr_t address(int at) const { return reinterpret_cast<std::uintptr_t>(bytes.data() + at); }

  std::array<char, 100> bytes{};
  AttachedMemory memory;
};

TEST_F(AttachedMemoryTest, CoversWhatIsAttachedOnly) {
  EXPECT_FALSE(memory.covers(address(0), 1));
  EXPECT_TRUE(memory.covers(address(0), 0));
  EXPECT_TRUE(memory.attach(&bytes[10], 20));
  EXPECT_TRUE(memory.covers(address(10), 20));
  EXPECT_TRUE(memory.covers(address(29), 1));
  EXPECT_FALSE(memory.covers(address(29), 2));
  EXPECT_FALSE(memory.covers(address(9), 2));
  EXPECT_FALSE(memory.covers(address(30), 1));
}

TEST_F(AttachedMemoryTest, NeighboursAreOne) {
  EXPECT_TRUE(memory.attach(&bytes[10], 20));
  EXPECT_TRUE(memory.attach(&bytes[30], 10));
  EXPECT_TRUE(memory.attach(&bytes[50], 10));
  EXPECT_TRUE(memory.covers(address(15), 25));
  EXPECT_FALSE(memory.covers(address(15), 26));
  EXPECT_FALSE(memory.covers(address(35), 20));
}

TEST_F(AttachedMemoryTest, RefusesOverlap) {
  EXPECT_TRUE(memory.attach(&bytes[10], 20));
  EXPECT_FALSE(memory.attach(&bytes[10], 20));
  EXPECT_FALSE(memory.attach(&bytes[5], 6));
  EXPECT_FALSE(memory.attach(&bytes[29], 1));
  EXPECT_FALSE(memory.attach(&bytes[0], 100));
  EXPECT_TRUE(memory.attach(&bytes[5], 5));
}

TEST_F(AttachedMemoryTest, DetachesByBase) {
  EXPECT_FALSE(memory.detach(&bytes[10]));
  EXPECT_TRUE(memory.attach(&bytes[10], 20));
  EXPECT_FALSE(memory.detach(&bytes[11]));
  EXPECT_TRUE(memory.detach(&bytes[10]));
  EXPECT_FALSE(memory.covers(address(10), 1));
  EXPECT_TRUE(memory.attach(&bytes[10], 0));
  EXPECT_TRUE(memory.attach(&bytes[10], 5));
  EXPECT_TRUE(memory.detach(&bytes[10]));
  EXPECT_TRUE(memory.detach(&bytes[10]));
  EXPECT_FALSE(memory.detach(&bytes[10]));
}

}  // namespace
}  // namespace taihu::mpi::windows
