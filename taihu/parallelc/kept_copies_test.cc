// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/kept_copies.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace taihu::parallelc {
namespace {

class KeptCopiesTest : public testing::Test {
 protected:
  char* fetch(std::size_t from, std::size_t bytes, std::uint64_t* version) {
    char* place = copies.make(memory + from, bytes, version);
    if (place != nullptr) std::memcpy(place, memory + from, bytes);
    return place;
  }

  alignas(64) char memory[4096] = {};
  std::uint64_t version = 0, other = 0;
  memory::ScratchpadArena arena{1024, 0, nullptr};
  KeptCopies copies{arena};
};

TEST_F(KeptCopiesTest, FindsPartsUntilTheCounterGrows) {
  char* const place = fetch(100, 200, &version);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64,
            reinterpret_cast<std::uintptr_t>(memory + 100) % 64);
  EXPECT_TRUE(copies.release(place));
  EXPECT_EQ(copies.find(memory + 150, 150, &version), place + 50);
  EXPECT_TRUE(copies.release(place + 50));
  EXPECT_FALSE(copies.release(place)) << "it is not in use";
  EXPECT_EQ(copies.find(memory + 99, 10, &version), nullptr);
  EXPECT_EQ(copies.find(memory + 150, 151, &version), nullptr);
  EXPECT_EQ(copies.find(memory + 100, 200, &other), nullptr);
  version += 1;
  EXPECT_EQ(copies.find(memory + 100, 200, &version), nullptr);
  EXPECT_EQ(copies.available_bytes(), 1024u) << "what is out of date has given its room back";
}

TEST_F(KeptCopiesTest, CountersAreToldApart) {
  present_version(&version);
  present_version(&other);
  EXPECT_NE(version, other);
  const std::uint64_t before = version;
  EXPECT_EQ(present_version(&version), before);
  // The counter of another file in the same place, which was counted up before anybody read it.
  version = 1;
  EXPECT_NE(present_version(&version), before);
  EXPECT_NE(present_version(&version), before + 1);
}

TEST_F(KeptCopiesTest, WhatIsNotInUseMakesWayForOthers) {
  char* const used = fetch(0, 256, &version);
  char* const first = fetch(256, 256, &version);
  char* const second = fetch(512, 256, &version);
  copies.release(first);
  copies.release(second);
  EXPECT_EQ(copies.find(memory + 256, 256, &version), first);  // used later than the second now
  copies.release(first);
  void* const block = copies.allocate(500);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(copies.find(memory + 512, 256, &version), nullptr);
  EXPECT_EQ(copies.find(memory + 256, 256, &version), first);
  EXPECT_EQ(copies.allocate(257), nullptr) << "both copies are in use";
  EXPECT_EQ(copies.make(memory + 1024, 257, &version), nullptr);
  copies.release(first);
  copies.release(used);
  EXPECT_EQ(copies.available_bytes(), 512u);
}

// Against memory itself: whatever is found has its bytes of now, and never more room is used than there is.
TEST_F(KeptCopiesTest, RandomCallsFindWhatMemoryHolds) {
  std::mt19937 random(1);
  std::uint64_t versions[2] = {};
  std::vector<std::pair<char*, std::size_t>> in_use;
  std::vector<void*> blocks;
  int found = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t half = random() % 2, from = half * 2048 + random() % 32 * 48;
    const std::size_t bytes = 1 + random() % 400;
    switch (random() % 6) {
      case 0:
        memory[from] = static_cast<char>(random());
        versions[half] += 1;
        for (auto& [place, _] : in_use) copies.release(place);
        in_use.clear();
        break;
      case 1:
        if (!in_use.empty()) copies.release(in_use.back().first), in_use.pop_back();
        break;
      case 2:
        if (void* block = copies.allocate(bytes)) std::memset(block, 0x5a, bytes), blocks.push_back(block);
        break;
      case 3:
        if (!blocks.empty()) arena.release(blocks.back()), blocks.pop_back();
        break;
      default: {
        char* place = copies.find(memory + from, bytes, &versions[half]);
        found += place != nullptr;
        if (place == nullptr) place = fetch(from, bytes, &versions[half]);
        if (place == nullptr) break;
        ASSERT_TRUE(arena.contains(place, bytes));
        ASSERT_EQ(std::memcmp(place, memory + from, bytes), 0) << step;
        in_use.emplace_back(place, bytes);
      }
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace taihu::parallelc
