// SPDX-License-Identifier: Apache-2.0
// Memory and transfers of the scratchpad: sizes from none to all of it, and the documented code of each wrong
// call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int threads_with_scratchpads = 3;
constexpr std::size_t capacity = 1 << 16;  // of processes_for_tests.h

void call(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
}

class Scratchpad : public testing::Test {
 protected:
  /// Runs `body` as the kernel of all accelerator threads of a rank.
  void in_kernel(const std::function<void()>& body) {
    job_.run([&](int) {
      std::function<void()> kernel = body;
      EXPECT_EQ(m_run(call, &kernel), M_SUCCESS);
    });
  }

  ProcessesForTests job_{1, 1, threads_with_scratchpads};
};

std::vector<char> numbered(std::size_t bytes, int first) {
  std::vector<char> data(bytes);
  std::iota(data.begin(), data.end(), static_cast<char>(first));
  return data;
}

TEST_F(Scratchpad, TransfersOfAllSizesGoThereAndBack) {
  in_kernel([] {
    const std::size_t whole = spm_available();
    EXPECT_GT(whole, capacity / 2);
    EXPECT_LE(whole, capacity);
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{4095}, whole}) {
      auto* const inside = static_cast<char*>(spm_malloc(bytes));
      ASSERT_NE(inside, nullptr) << bytes;
      const std::vector<char> sent = numbered(bytes, m_rank(CCC_ARRAY));
      std::vector<char> back(bytes + 1, 'x');
      int reply = 0;
      EXPECT_EQ(dma_get(inside, sent.data(), bytes), M_SUCCESS);
      EXPECT_EQ(dma_put(back.data(), inside, bytes), M_SUCCESS);
      EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin()));
      EXPECT_EQ(dma_iget(inside, sent.data(), bytes, &reply), M_SUCCESS);
      EXPECT_EQ(dma_iput(back.data(), inside, bytes, &reply), M_SUCCESS);
      EXPECT_EQ(dma_wait(&reply, 2), M_SUCCESS);
      EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin()));
      EXPECT_EQ(back[bytes], 'x');
      spm_free(inside);
    }
    EXPECT_EQ(spm_available(), whole) << "all has been given back";
    EXPECT_EQ(spm_malloc(whole + 1), nullptr);
  });
}

TEST_F(Scratchpad, BlocksAreGatheredAndScattered) {
  in_kernel([] {
    constexpr std::size_t block = 3, stride = 5, bytes = 10;  // the last block is shorter
    std::vector<char> memory = numbered(20, 0), back(20, 'x');
    auto* const inside = static_cast<char*>(spm_malloc(bytes));
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(dma_get_stride(inside, memory.data(), bytes, block, stride), M_SUCCESS);
    const char expected[bytes] = {0, 1, 2, 5, 6, 7, 10, 11, 12, 15};
    EXPECT_EQ(std::memcmp(inside, expected, bytes), 0);
    int reply = 0;
    EXPECT_EQ(dma_iput_stride(back.data(), inside, bytes, &reply, block, stride), M_SUCCESS);
    EXPECT_EQ(dma_wait(&reply, 1), M_SUCCESS);
    for (std::size_t at = 0; at < back.size(); ++at)
      EXPECT_EQ(back[at], at < 16 && at % stride < block ? memory[at] : 'x') << at;
    EXPECT_EQ(dma_get_stride(inside, memory.data(), bytes, 4, 3), M_ERROR_ARGUMENT) << "blocks overlap";
    EXPECT_EQ(dma_get_stride(inside, memory.data(), bytes, 0, 3), M_ERROR_ARGUMENT);
    EXPECT_EQ(dma_get_stride(inside, memory.data(), 3, 0, 0), M_ERROR_ARGUMENT);
    spm_free(inside);
  });
}

TEST_F(Scratchpad, ABroadcastReachesAllAndTellsWhoDiffers) {
  const std::vector<char> one = numbered(1000, 1), other = numbered(1000, 2);
  in_kernel([&] {
    auto* const inside = static_cast<char*>(spm_malloc(1000));
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(dma_bcast(inside, one.data(), 1000), M_SUCCESS);
    EXPECT_EQ(std::memcmp(inside, one.data(), 1000), 0);
    EXPECT_EQ(dma_bcast(inside, one.data(), 0), M_SUCCESS);
    // Two of three with the same are right or wrong by who came last; not all can be right.
    const bool differs = m_rank(CCC_ARRAY) == 0;
    int code = dma_bcast(inside, differs ? other.data() : one.data(), 1000), codes[threads_with_scratchpads];
    EXPECT_EQ(m_allgather(CCC_ARRAY, &code, codes, 1, M_INT), M_SUCCESS);
    EXPECT_NE(std::count(codes, codes + threads_with_scratchpads, M_ERROR_ARGUMENT), 0);
    EXPECT_EQ(dma_bcast(m_rank(CCC_ARRAY) == 1 ? nullptr : inside, one.data(), 8),
              m_rank(CCC_ARRAY) == 1 ? M_ERROR_ARGUMENT : M_SUCCESS)
        << "who is wrong takes part";
    spm_free(inside);
  });
}

TEST_F(Scratchpad, WrongTransfers) {
  in_kernel([] {
    char outside[64] = {}, memory[64] = {};
    auto* const inside = static_cast<char*>(spm_malloc(64));
    ASSERT_NE(inside, nullptr);
    EXPECT_EQ(dma_get(outside, memory, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(dma_put(memory, outside, 8), M_ERROR_ARGUMENT);
    EXPECT_EQ(dma_get(inside, memory, capacity + 1), M_ERROR_ARGUMENT) << "over its end";
    EXPECT_EQ(dma_get(nullptr, memory, 0), M_SUCCESS) << "nothing needs no place";
    int reply = 0;
    EXPECT_EQ(dma_iget(inside, memory, 8, &reply), M_SUCCESS);
    m_barrier(CCC_ARRAY);
    spm_free(inside);
    spm_free(nullptr);
  });
}

TEST_F(Scratchpad, ProcessCodeHasNone) {
  job_.run([](int) {
    char memory[8] = {};
    EXPECT_EQ(spm_malloc(8), nullptr);
    EXPECT_EQ(spm_available(), 0U);
    EXPECT_EQ(dma_get(memory, memory, 8), M_ERROR_CONTEXT);
    EXPECT_EQ(dma_put_stride(memory, memory, 8, 4, 4), M_ERROR_CONTEXT);
    EXPECT_EQ(dma_bcast(memory, memory, 8), M_ERROR_CONTEXT);
    int reply = 0;
    EXPECT_EQ(dma_wait(&reply, 1), M_ERROR_ARGUMENT) << "nobody could ever make it one";
    EXPECT_EQ(dma_wait(&reply, 0), M_SUCCESS);
  });
}

}  // namespace
}  // namespace taihu::parallelc
