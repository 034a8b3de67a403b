// SPDX-License-Identifier: Apache-2.0
// The equations of the heap hold after much work, and a broken one is noticed.
#include "taihu/memory/heap/invariants.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/memory/heap/heap.h"

namespace heap = taihu::memory::heap;
using heap::Slice;

namespace {

/// What is broken now; "" when all holds.
std::string broken() {
  const taihu::ContractTrap trap;
  try {
    heap::check_invariants();
  } catch (const taihu::ContractBroken& contract) {
    return contract.what;
  }
  return "";
}

void work(unsigned seed, std::size_t largest) {
  std::mt19937 random(seed);
  std::vector<void*> blocks(200);
  for (int step = 0; step < 20000; ++step) {
    void*& block = blocks[random() % blocks.size()];
    const std::size_t bytes = 1 + random() % (std::size_t{1} << (1 + random() % 12)) % largest;
    if (random() % 4 == 0)
      block = heap::reallocate(block, random() % 20 == 0 ? 1 + random() % largest : bytes);
    else {
      heap::free(block);
      block = heap::allocate(bytes);
    }
  }
  for (void* block : blocks) heap::free(block);
}

TEST(HeapInvariants, HoldAfterWork) {
  EXPECT_EQ(broken(), "");
  for (const std::size_t largest : {1000, 100000, 3000000}) {
    work(1, largest);
    EXPECT_EQ(broken(), "");
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed, largest);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(broken(), "");
    heap::trim();
    EXPECT_EQ(broken(), "");
  }
}

class BrokenInvariants : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!taihu::contracts_checked) GTEST_SKIP() << "contracts are not checked in this build";
  }
};

TEST_F(BrokenInvariants, OfThreadCache) {
  std::vector<void*> blocks;
  for (int count = 0; count < 100; ++count) blocks.push_back(heap::allocate(1000));
  for (int count = 0; count < 100; count += 2) heap::free(blocks[static_cast<std::size_t>(count)]);
  heap::FreeList* list = heap::slice_map.list_of(blocks[0]);
  ++list->room;
  EXPECT_EQ(broken(), "length of a list + room == limit");
  --list->room;
  heap::Block* first = list->first;
  list->first = reinterpret_cast<heap::Block*>(static_cast<char*>(blocks[1]) + 16);
  heap::link(list->first, heap::next_of(first));
  EXPECT_EQ(broken(), "block == begin of the span + first + n class size, n < blocks carved");
  list->first = first;
  heap::trim();  // the free ones go back to their spans
  Slice* span = heap::slice_map.span_of(blocks[1]);
  ASSERT_TRUE(span->listed);
  ++span->free_blocks;
  EXPECT_EQ(broken(), "length of a span's list == blocks free");
  --span->free_blocks;
  EXPECT_EQ(broken(), "");
  for (int count = 1; count < 100; count += 2) heap::free(blocks[static_cast<std::size_t>(count)]);
}

TEST_F(BrokenInvariants, OfPageHeap) {
  heap::free(heap::allocate(1));
  heap::NodeHeap& node = heap::node_heaps[0];
  Slice* run = node.take_run(8, 1);
  ASSERT_NE(run, nullptr);
  Slice* behind = heap::PageHeap::split(run, 4);
  heap::PageHeap own(50001);
  const auto broken_in_own = [&own]() -> std::string {
    const taihu::ContractTrap trap;
    try {
      own.check_invariants();
    } catch (const taihu::ContractBroken& contract) {
      return contract.what;
    }
    return "";
  };
  own.give(run);
  EXPECT_EQ(broken_in_own(), "");
  --run->slices;
  EXPECT_EQ(broken_in_own(), "bin of the run's length == bin it is in");
  ++run->slices;
  run->holder = 50002;
  EXPECT_EQ(broken_in_own(), "state and holder of a run == those of its heap");
  run->holder = 50001;
  Slice* last = heap::slice_map.slice_of(run->begin() + 3 * heap::slice_bytes);
  ++last->slices;
  EXPECT_EQ(broken_in_own(), "length at the end of a run == length at its begin");
  --last->slices;
  EXPECT_EQ(broken_in_own(), "");
  ASSERT_EQ(own.take_free(4, 1), run);
  node.give(run);
  node.give(behind);
}

TEST_F(BrokenInvariants, OfRegions) {
  void* block = heap::allocate(1 << 20);
  Slice* record = heap::slice_map.slice_of(block);
  const std::uintptr_t address = record->address;
  record->address = address + heap::slice_bytes;
  EXPECT_EQ(broken(), "where a run ends another one begins");
  record->address = address;
  EXPECT_EQ(broken(), "");
  heap::free(block);
}

}  // namespace
