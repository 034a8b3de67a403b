// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/spare_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace taihu::mpi::messages {
namespace {

constexpr std::size_t bytes = 96;
using Blocks = SpareBlocks<bytes>;

void on_new_thread(const std::function<void()>& body) {
  std::thread(body).join();
}

TEST(spare_blocks, gives_the_latest_block_again) {
  on_new_thread([] {
    void* const first = Blocks::take();
    void* const second = Blocks::take();
    EXPECT_NE(first, second);
    Blocks::give(first);
    Blocks::give(second);
    EXPECT_EQ(Blocks::kept(), 2U);
    EXPECT_EQ(Blocks::take(), second);
    EXPECT_EQ(Blocks::take(), first);
    EXPECT_EQ(Blocks::kept(), 0U);
    Blocks::give(first);
    Blocks::give(second);
  });
}

TEST(spare_blocks, never_gives_one_block_twice) {
  on_new_thread([] {
    std::mt19937 random(7);
    std::set<void*> in_use;
    for (int i = 0; i < 20000; ++i) {
      if (in_use.empty() || random() % 2 == 0) {
        void* const block = Blocks::take();
        std::memset(block, 0x5a, bytes);
        EXPECT_TRUE(in_use.insert(block).second);
      } else {
        auto place = in_use.begin();
        std::advance(place, static_cast<long>(random() % std::min<std::size_t>(in_use.size(), 8)));
        Blocks::give(*place);
        in_use.erase(place);
      }
    }
    for (void* block : in_use) Blocks::give(block);
  });
}

TEST(spare_blocks, keeps_a_bounded_number) {
  on_new_thread([] {
    std::vector<void*> all(5000);
    for (void*& block : all) block = Blocks::take();
    for (void* block : all) Blocks::give(block);
    EXPECT_LE(Blocks::kept(), 1024U);
    EXPECT_GT(Blocks::kept(), 0U);
  });
}

TEST(spare_blocks, blocks_may_be_given_by_another_thread) {
  on_new_thread([] {
    std::vector<void*> all(200);
    for (void*& block : all) block = Blocks::take();
    on_new_thread([&] {
      for (void* block : all) Blocks::give(block);
      EXPECT_EQ(Blocks::kept(), 200U);
    });
    EXPECT_EQ(Blocks::kept(), 0U);
  });
}

}  // namespace
}  // namespace taihu::mpi::messages
