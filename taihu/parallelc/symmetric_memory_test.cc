// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "taihu/abi/parallelc.h"
#include "taihu/memory/symmetric_heap.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int ranks = 3;
constexpr std::size_t heap_bytes = 32 << 20;

class SymmetricMemory : public testing::TestWithParam<int> {
 protected:
  SymmetricMemory() {
    for (int rank = 0; rank < ranks; ++rank)
      job_.process(rank).heap = std::make_unique<memory::SymmetricHeap>(heap_bytes);
  }
  std::ptrdiff_t offset(int rank, void* memory) {
    return static_cast<std::byte*>(memory) - job_.process(rank).heap->base();
  }
  ProcessesForTests job_{GetParam(), ranks, 1};
};
INSTANTIATE_TEST_SUITE_P(NodeProcesses, SymmetricMemory, testing::Values(1, 2));

TEST_P(SymmetricMemory, BlocksOfAllSizesAreZeroAndAtTheSameOffset) {
  job_.run([&](int rank) {
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{8 << 20}}) {
      auto* const memory = static_cast<char*>(m_malloc(bytes));
      ASSERT_NE(memory, nullptr);
      for (std::size_t i = 0; i < bytes; i += 511) EXPECT_EQ(memory[i], 0);
      std::memset(memory, rank + 1, bytes);
      long offsets[ranks], mine = offset(rank, memory);
      EXPECT_EQ(m_allgather(CCC_ALL, &mine, offsets, 1, M_LONG), M_SUCCESS);
      for (const long other : offsets) EXPECT_EQ(other, mine);
      m_free(memory);
    }
    EXPECT_EQ(m_malloc(heap_bytes + 1), nullptr) << "there is no room, on any rank";
    m_free(nullptr);
  });
}

TEST_P(SymmetricMemory, DifferentCallsAreAnError) {
  job_.run([](int rank) { EXPECT_EQ(m_malloc(rank == 1 ? 64 : 128), nullptr); });
}

TEST_P(SymmetricMemory, OnlyTheBeginOfABlockIsReleased) {
  job_.run([&](int rank) {
    auto* const memory = static_cast<char*>(m_malloc(256));
    ASSERT_NE(memory, nullptr);
    const std::uint64_t free_before = job_.process(rank).heap->free_bytes();
    m_free(memory + 64);
    int on_stack = 0;
    m_free(&on_stack);
    EXPECT_EQ(job_.process(rank).heap->free_bytes(), free_before);
    m_free(memory);
    EXPECT_GT(job_.process(rank).heap->free_bytes(), free_before);
  });
}

}  // namespace
}  // namespace taihu::parallelc
