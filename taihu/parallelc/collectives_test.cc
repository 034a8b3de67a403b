// SPDX-License-Identifier: Apache-2.0
// The calls of the language in front of collective/: who takes part, and what is refused.
#include <gtest/gtest.h>

#include <climits>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

TEST(ParallelCCollectives, ProcessesOfTwoNodeProcessesAgree) {
  for (const int ranks : {2, 5}) {
    ProcessesForTests job(2, ranks, 1);
    job.run([&](int rank) {
      const long mine = rank + 1;
      long sum = 0, before = 0;
      EXPECT_EQ(m_allreduce(CCC_ALL, &mine, &sum, 1, M_LONG, M_SUM), M_SUCCESS);
      EXPECT_EQ(sum, ranks * (ranks + 1) / 2);
      EXPECT_EQ(m_scan(CCC_ALL, &mine, &before, 1, M_LONG, M_SUM), M_SUCCESS);
      EXPECT_EQ(before, mine * (mine + 1) / 2);
      std::vector<long> all(static_cast<std::size_t>(ranks));
      EXPECT_EQ(m_allgather(CCC_ALL, &mine, all.data(), 1, M_LONG), M_SUCCESS);
      for (int other = 0; other < ranks; ++other) EXPECT_EQ(all[static_cast<std::size_t>(other)], other + 1);
      long told = rank == ranks - 1 ? 42 : 0;
      EXPECT_EQ(m_bcast(CCC_ALL, &told, 1, M_LONG, ranks - 1), M_SUCCESS);
      EXPECT_EQ(told, 42);
      EXPECT_EQ(m_bcast(CCC_ALL, nullptr, 0, M_LONG, 0), M_SUCCESS);
    });
  }
}

TEST(ParallelCCollectives, ThreadsAreTheMembersOfTheArray) {
  ProcessesForTests job(1, 2, 3);
  job.run([&](int rank) {
    int offset = 10 * rank;
    EXPECT_EQ(m_run(
                  [](void* argument) {
                    const int mine = *static_cast<int*>(argument) + m_rank(CCC_ARRAY);
                    int sum = 0;
                    EXPECT_EQ(m_allreduce(CCC_ARRAY, &mine, &sum, 1, M_INT, M_SUM), M_SUCCESS);
                    EXPECT_EQ(sum, 3 * *static_cast<int*>(argument) + 3);
                    EXPECT_EQ(m_barrier(CCC_ARRAY), M_SUCCESS);
                  },
                  &offset),
              M_SUCCESS);
  });
}

TEST(ParallelCCollectives, OneThreadOfAKernelSpeaksForItsProcess) {
  ProcessesForTests job(2, 2, 2);
  job.run([&](int) {
    EXPECT_EQ(m_run(
                  [](void*) {
                    if (m_rank(CCC_ARRAY) != 1) return;
                    const int mine = m_rank(CCC_ALL) + 1;
                    int sum = 0;
                    EXPECT_EQ(m_allreduce(CCC_ALL, &mine, &sum, 1, M_INT, M_SUM), M_SUCCESS);
                    EXPECT_EQ(sum, 3);
                  },
                  nullptr),
              M_SUCCESS);
  });
}

TEST(ParallelCCollectives, WrongArgumentsAreCodes) {
  ProcessesForTests job(1, 1, 2);
  job.run([&](int) {
    long value = 1, result = 0;
    const auto allreduce = [&](m_scope_t scope, long count, m_type_t type, m_op_t operation) {
      return m_allreduce(scope, &value, &result, count, type, operation);
    };
    EXPECT_EQ(allreduce(CCC_ALL, -1, M_LONG, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(CCC_ALL, LONG_MAX, M_LONG, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(CCC_ALL, 1, M_DOUBLE, M_XOR), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(CCC_ALL, 1, static_cast<m_type_t>(M_DOUBLE_INT + 1), M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(static_cast<m_scope_t>(CCC_ARRAY + 1), 1, M_LONG, M_SUM), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_bcast(CCC_ALL, &value, 1, M_LONG, 1), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_bcast(CCC_ALL, &value, 1, M_LONG, -1), M_ERROR_ARGUMENT);
    EXPECT_EQ(allreduce(CCC_ARRAY, 1, M_LONG, M_SUM), M_ERROR_CONTEXT);  // process code
    EXPECT_EQ(m_barrier(CCC_ARRAY), M_ERROR_CONTEXT);
    EXPECT_EQ(allreduce(CCC_ALL, 1, M_LONG, M_SUM), M_SUCCESS);
    EXPECT_EQ(result, 1);
  });
}

}  // namespace
}  // namespace taihu::parallelc
