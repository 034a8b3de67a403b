// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr auto no_scope = static_cast<m_scope_t>(CCC_ARRAY + 1);

TEST(Scopes, RanksAndSizesAreThoseOfTheLayout) {
  ProcessesForTests job(2, 5, 3);
  job.run([&](int rank) {
    EXPECT_EQ(m_rank(CCC_ALL), rank);
    EXPECT_EQ(m_size(CCC_ALL), 5);
    EXPECT_EQ(m_rank(CCC_NODE), 0);  // node groups of one rank each
    EXPECT_EQ(m_size(CCC_NODE), 1);
    EXPECT_EQ(m_global_rank(CCC_NODE, 0), rank);
    for (int other = 0; other < 5; ++other) EXPECT_EQ(m_global_rank(CCC_ALL, other), other);
    EXPECT_EQ(m_size(CCC_ARRAY), 3);
    EXPECT_EQ(m_rank(CCC_ARRAY), 0);  // process code
  });
}

TEST(Scopes, RanksThatAScopeDoesNotHaveAreMinusOne) {
  ProcessesForTests job(1, 2, 1);
  job.run([&](int) {
    EXPECT_EQ(m_global_rank(CCC_ALL, -1), -1);
    EXPECT_EQ(m_global_rank(CCC_ALL, 2), -1);
    EXPECT_EQ(m_global_rank(CCC_NODE, 1), -1);
    EXPECT_EQ(m_global_rank(CCC_ARRAY, 0), -1);
    EXPECT_EQ(m_rank(no_scope), -1);
    EXPECT_EQ(m_size(no_scope), -1);
  });
}

TEST(Scopes, ThreadsOfAKernelHaveRanksOfTheArray) {
  ProcessesForTests job(1, 2, 4);
  job.run([&](int rank) {
    std::array<std::atomic<int>, 4> seen{};
    EXPECT_EQ(m_run(
                  [](void* counts) {
                    EXPECT_EQ(m_size(CCC_ARRAY), 4);
                    ++(*static_cast<std::array<std::atomic<int>, 4>*>(
                        counts))[static_cast<std::size_t>(m_rank(CCC_ARRAY))];
                  },
                  &seen),
              M_SUCCESS);
    for (const auto& count : seen) EXPECT_EQ(count, 1) << "rank " << rank;
  });
}

TEST(ScopesDeathTest, AThreadOfNoProcessIsToldWhatToDo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(m_size(CCC_ALL), "m_size: the calling thread belongs to no process of the job; call it from");
}

}  // namespace
}  // namespace taihu::parallelc
