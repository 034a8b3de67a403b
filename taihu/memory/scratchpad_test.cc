// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/scratchpad.h"

#include <gtest/gtest.h>

#include <cstring>

#include "taihu/base/error.h"

namespace taihu::memory {
namespace {

TEST(ScratchpadArena, HoldsStaticsThenBlocks) {
  const int initial[3] = {1, 2, 3};
  ScratchpadArena arena(64 << 10, sizeof initial, initial);
  EXPECT_EQ(std::memcmp(arena.static_base(), initial, sizeof initial), 0);
  EXPECT_EQ(arena.available_bytes(), (64u << 10) - 64);
  void* one = arena.allocate(100);
  void* two = arena.allocate(0);
  ASSERT_TRUE(one && two);
  EXPECT_NE(one, two);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % 64, 0u);
  EXPECT_GE(static_cast<std::byte*>(one), arena.static_base() + 64);
  EXPECT_EQ(arena.allocate(64 << 10), nullptr);
  EXPECT_EQ(arena.allocate(~std::size_t{0}), nullptr);
  EXPECT_TRUE(arena.release(one));
  EXPECT_FALSE(arena.release(one));
  EXPECT_FALSE(arena.release(arena.static_base()));
  EXPECT_TRUE(arena.release(two));
  EXPECT_TRUE(arena.release(nullptr));
  const std::size_t all = arena.available_bytes();
  EXPECT_TRUE(arena.allocate(all));
  EXPECT_EQ(arena.available_bytes(), 0u);
}

TEST(ScratchpadArena, StartsAnew) {
  ScratchpadArena arena(1024, 8, nullptr);
  std::memset(arena.static_base(), 7, 8);
  ASSERT_TRUE(arena.allocate(500));
  arena.reset();
  EXPECT_EQ(arena.static_base()[0], std::byte{0});
  EXPECT_EQ(arena.available_bytes(), 1024u - 64);
}

TEST(ScratchpadArena, KnowsItsBounds) {
  ScratchpadArena arena(1000, 0, nullptr);
  const std::byte* base = arena.static_base();
  EXPECT_TRUE(arena.contains(base, 1000));
  EXPECT_TRUE(arena.contains(base + 1000, 0));
  EXPECT_FALSE(arena.contains(base, 1001));
  EXPECT_FALSE(arena.contains(base - 1, 1));
  EXPECT_FALSE(arena.contains(base + 999, ~std::size_t{0}));
  int local = 0;
  EXPECT_FALSE(arena.contains(&local, sizeof local));
}

TEST(ScratchpadArena, TakesNoMoreThanItHas) {
  ScratchpadArena full(64, 64, nullptr);
  EXPECT_EQ(full.available_bytes(), 0u);
  EXPECT_EQ(full.allocate(1), nullptr);
  ScratchpadArena odd(65, 65, nullptr);
  EXPECT_EQ(odd.available_bytes(), 0u);
  try {
    ScratchpadArena arena(64, 65, nullptr);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "thread-local variables need 65 bytes but the accelerator thread's memory has 64; make them smaller");
  }
}

}  // namespace
}  // namespace taihu::memory
