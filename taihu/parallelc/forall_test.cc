// SPDX-License-Identifier: Apache-2.0
// The runtime's part of forall, called as compiled loops call it.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

// Of abi/parallelc_compiler.h, which is for Clang.
extern "C" {
unsigned long long taihu_dynamic_begin(int scope, unsigned long long count);
int taihu_dynamic_next(int scope, unsigned long long loop, unsigned long long* first,
                       unsigned long long* length);
}

namespace taihu::parallelc {
namespace {

using Counts = std::vector<std::atomic<int>>;

/// `forall (i = 0; i < count; i++; ANY; scope) counts[i]++`; -1: the caller is to divide it as BLOCK does.
/// Returns how many iterations it has done.
long count_iterations(m_scope_t scope, Counts& counts, unsigned long long length) {
  const unsigned long long loop = taihu_dynamic_begin(scope, length);
  if (loop == 0) return -1;
  long done = 0;
  unsigned long long first = 0, piece = 0;
  while (taihu_dynamic_next(scope, loop, &first, &piece) != 0) {
    EXPECT_GT(piece, 0U);
    EXPECT_LE(first + piece, length);
    for (unsigned long long i = first; i < first + piece; ++i) ++counts[i];
    done += static_cast<long>(piece);
  }
  return done;
}

void expect_each_once(const Counts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], 1) << "iteration " << i;
}

struct Loop {
  Counts counts;
  std::atomic<long> done{0};
};

void share_among_threads(void* argument) {
  Loop& loop = *static_cast<Loop*>(argument);
  loop.done += count_iterations(CCC_ARRAY, loop.counts, loop.counts.size());
}

TEST(Forall, ThreadsShareAnyNumberOfIterations) {
  for (const int threads : {1, 2, 7}) {
    ProcessesForTests job(1, 1, threads);
    job.run([&](int) {
      for (const std::size_t length : {0, 1, 2, 63, 1000, 100001}) {
        Loop loop{Counts(length)};
        ASSERT_EQ(m_run(share_among_threads, &loop), M_SUCCESS);
        EXPECT_EQ(loop.done, static_cast<long>(length));
        expect_each_once(loop.counts);
      }
    });
  }
}

TEST(Forall, OneLoopBehindTheOtherWithoutABarrier) {
  ProcessesForTests job(1, 1, 4);
  job.run([&](int) {
    std::vector<Loop> loops(50);
    for (std::size_t k = 0; k < loops.size(); ++k) loops[k].counts = Counts(k * 7 % 11);
    ASSERT_EQ(m_run(
                  [](void* all) {
                    for (Loop& loop : *static_cast<std::vector<Loop>*>(all)) share_among_threads(&loop);
                  },
                  &loops),
              M_SUCCESS);
    for (const Loop& loop : loops) expect_each_once(loop.counts);
  });
}

TEST(Forall, ProcessCodeAloneTakesAllAtOnce) {
  ProcessesForTests job(1, 1, 3);
  job.run([&](int) {
    Counts counts(1000);
    EXPECT_EQ(count_iterations(CCC_ARRAY, counts, counts.size()), 1000);
    expect_each_once(counts);
    // More than a process could do: nothing is allocated for it.
    const unsigned long long huge = 1ULL << 62;
    const unsigned long long loop = taihu_dynamic_begin(CCC_ARRAY, huge);
    unsigned long long first = 1, length = 0;
    EXPECT_EQ(taihu_dynamic_next(CCC_ARRAY, loop, &first, &length), 1);
    EXPECT_EQ(first, 0U);
    EXPECT_EQ(length, huge);
    EXPECT_EQ(taihu_dynamic_next(CCC_ARRAY, loop, &first, &length), 0);
  });
}

TEST(Forall, ProcessesShareAnyNumberOfIterations) {
  for (const int processes : {1, 2}) {
    for (const std::size_t length : {0, 1, 5, 1000, 30011}) {
      ProcessesForTests job(processes, 5, 1);
      Counts counts(length);
      std::atomic<long> done{0};
      job.run([&](int) { done += count_iterations(CCC_ALL, counts, length); });
      EXPECT_EQ(done, static_cast<long>(length));
      expect_each_once(counts);
    }
  }
}

TEST(Forall, NothingIsSharedByOneProcessAndInKernels) {
  ProcessesForTests alone(1, 1, 2);
  alone.run([](int) { EXPECT_EQ(taihu_dynamic_begin(CCC_ALL, 10), 0U); });
  ProcessesForTests job(1, 2, 2);
  job.run([](int) {
    EXPECT_EQ(m_run([](void*) { EXPECT_EQ(taihu_dynamic_begin(CCC_ALL, 10), 0U); }, nullptr), M_SUCCESS);
  });
}

}  // namespace
}  // namespace taihu::parallelc
