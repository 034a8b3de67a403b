// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/symmetric_heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "taihu/base/error.h"
#include "taihu/memory/image/symmetric_map.h"

namespace taihu::memory {
namespace {

bool all_zero(const void* memory, std::size_t bytes) {
  const auto* place = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < bytes; ++i)
    if (place[i] != 0) return false;
  return true;
}

TEST(SymmetricHeap, GivesEqualOffsetsOnAllRanks) {
  SymmetricHeap first(1 << 20), second(1 << 20);
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 4097u, 100000u}) {
    auto* a = static_cast<std::byte*>(first.allocate(bytes));
    auto* b = static_cast<std::byte*>(second.allocate(bytes));
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a - first.base(), b - second.base());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0u);
  }
  EXPECT_EQ(first.history(), second.history());
  EXPECT_EQ(first.allocate(2 << 20), nullptr);
  EXPECT_NE(first.history(), second.history()) << "one rank made another call";
}

TEST(SymmetricHeap, GivesZeroedMemoryAlsoTheSecondTime) {
  SymmetricHeap heap(8 << 20);
  for (const std::size_t bytes : {100u, 5000u, 3u << 20, (4u << 20) + 1}) {
    void* memory = heap.allocate(bytes);
    ASSERT_TRUE(memory);
    std::memset(memory, 0xff, bytes);
    EXPECT_TRUE(heap.release(memory));
    void* again = heap.allocate(bytes);
    EXPECT_EQ(again, memory);
    EXPECT_TRUE(all_zero(again, bytes));
    EXPECT_TRUE(heap.release(again));
  }
}

TEST(SymmetricHeap, IsSeenByOthersWhenItIsOpen) {
  constexpr std::size_t bytes = 8 << 20;
  SymmetricHeap heap(bytes, 0, HeapSharing::machine);
  ASSERT_GE(heap.fd(), 0);
  EXPECT_EQ(SymmetricHeap(bytes).fd(), -1);
  const SharedMemory opened = SharedMemory::open(getpid(), heap.fd());
  ASSERT_EQ(opened.bytes(), bytes);
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened.fd(), 0);
  ASSERT_NE(place, MAP_FAILED);
  auto* const there = static_cast<std::byte*>(place);
  // Large enough to be given back to the system when it is released, and small.
  for (const std::size_t block : {std::size_t{4} << 20, std::size_t{100}}) {
    auto* const memory = static_cast<std::byte*>(heap.allocate(block));
    ASSERT_TRUE(memory);
    const std::ptrdiff_t offset = memory - heap.base();
    memory[block - 1] = std::byte{1};
    EXPECT_EQ(there[offset + std::ptrdiff_t(block) - 1], std::byte{1});
    std::memset(there + offset, 0xff, block);
    EXPECT_EQ(memory[0], std::byte{0xff});
    EXPECT_TRUE(heap.release(memory));
    ASSERT_EQ(heap.allocate(block), memory);
    EXPECT_TRUE(all_zero(memory, block));
    EXPECT_TRUE(all_zero(there + offset, block));
    EXPECT_TRUE(heap.release(memory));
  }
  munmap(place, bytes);
}

TEST(SymmetricHeap, OfAChildIsItsOwnEvenWhenItIsOpen) {
  SymmetricHeap heap(1 << 20, 0, HeapSharing::machine);
  {
    const SymmetricHeap gone(1 << 20, 0, HeapSharing::machine);
  }
  ASSERT_GE(heap.fd(), 0);
  auto* const number = static_cast<int*>(heap.allocate(sizeof(int)));
  *number = 5;
  const pid_t child = fork();
  if (child == 0) {
    const int before = *number;
    *number = 6;
    _exit(before == 5 && *number == 6 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*number, 5);
}

TEST(SymmetricHeap, OfAChildOfAChildHasTheDataOfTheChild) {
  SymmetricHeap heap(1 << 20, 0, HeapSharing::machine);
  auto* const number = static_cast<int*>(heap.allocate(sizeof(int)));
  *number = 5;
  const pid_t child = fork();
  if (child == 0) {
    *number = 6;
    const pid_t next = fork();
    if (next == 0) {
      const int before = *number;
      *number = 7;
      _exit(before == 6 ? 0 : 1);
    }
    int status = -1;
    _exit(waitpid(next, &status, 0) == next && status == 0 && *number == 6 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*number, 5);
}

TEST(SymmetricHeap, KnowsWhatItDidNotGive) {
  SymmetricHeap heap(1 << 16);
  int local = 0;
  EXPECT_FALSE(heap.release(&local));
  EXPECT_TRUE(heap.release(nullptr));
  auto* memory = static_cast<std::byte*>(heap.allocate(128));
  EXPECT_FALSE(heap.release(memory + 64));
  SymmetricHeap none(0);
  EXPECT_EQ(none.allocate(0), nullptr);
  EXPECT_THROW(SymmetricHeap(std::uint64_t{1} << 60), Error);
}

TEST(ImageSymmetricMap, TranslatesBetweenRanks) {
  alignas(64) static std::byte images[2][256], heaps[2][1024];
  ImageSymmetricMap map(2);
  for (int rank = 0; rank < 2; ++rank)
    map.set_rank(rank, {{reinterpret_cast<std::uintptr_t>(images[rank]), sizeof images[rank]},
                        {reinterpret_cast<std::uintptr_t>(heaps[rank]), sizeof heaps[rank]}});
  const auto variable = map.find(0, &images[0][100], 8);
  ASSERT_TRUE(variable);
  EXPECT_EQ(variable->segment, 0u);
  EXPECT_EQ(variable->offset, 100u);
  EXPECT_EQ(map.resolve(1, *variable, 8), &images[1][100]);
  const auto in_heap = map.find(1, &heaps[1][1000], 24);
  ASSERT_TRUE(in_heap);
  EXPECT_EQ(in_heap->segment, 1u);
  EXPECT_EQ(map.resolve(0, *in_heap, 24), &heaps[0][1000]);
  EXPECT_FALSE(map.find(1, &heaps[1][1000], 25)) << "beyond the end";
  EXPECT_FALSE(map.find(0, &heaps[1][0], 1)) << "another rank's";
  EXPECT_FALSE(map.find(0, &map, 1)) << "on the stack";
  EXPECT_FALSE(map.find(2, &images[0][0], 1));
  EXPECT_EQ(map.resolve(0, {1, 1000}, 25), nullptr);
  EXPECT_EQ(map.resolve(0, {1, ~std::uint64_t{0}}, 1), nullptr);
  EXPECT_EQ(map.resolve(0, {2, 0}, 1), nullptr);
  EXPECT_EQ(map.resolve(-1, {0, 0}, 1), nullptr);
}

}  // namespace
}  // namespace taihu::memory
