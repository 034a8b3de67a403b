// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

long counted = 0;  // guarded by a lock of the language

TEST(Locks, ExcludeThreadsOfAllNodeProcesses) {
  constexpr int ranks = 3, threads = 2, rounds = 100;
  counted = 0;
  ProcessesForTests job(2, ranks, threads);
  job.run([&](int) {
    EXPECT_EQ(m_run(
                  [](void*) {
                    for (int round = 0; round < rounds; ++round) {
                      EXPECT_EQ(m_lock(CCC_ALL, 7), M_SUCCESS);
                      ++counted;
                      EXPECT_EQ(m_unlock(CCC_ALL, 7), M_SUCCESS);
                    }
                  },
                  nullptr),
              M_SUCCESS);
  });
  EXPECT_EQ(counted, long{ranks} * threads * rounds);
}

TEST(Locks, TryLockTellsWhetherItHasTaken) {
  ProcessesForTests job(1, 1, 1);
  job.run([&](int) {
    int taken = -1;
    EXPECT_EQ(m_trylock(CCC_NODE, 0, &taken), M_SUCCESS);
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(
        m_run([](void* result) { EXPECT_EQ(m_trylock(CCC_NODE, 0, static_cast<int*>(result)), M_SUCCESS); },
              &taken),
        M_SUCCESS);
    EXPECT_EQ(taken, 0);  // process code has it
    EXPECT_EQ(m_trylock(CCC_NODE, 1, &taken), M_SUCCESS);
    EXPECT_EQ(taken, 1);  // another number, another lock
    EXPECT_EQ(m_unlock(CCC_NODE, 1), M_SUCCESS);
    EXPECT_EQ(m_unlock(CCC_NODE, 0), M_SUCCESS);
  });
}

TEST(Locks, OfTheArrayAreThoseOfEachProcess) {
  ProcessesForTests job(1, 2, 2);
  job.run([&](int) {
    // Both processes hold lock 0 of their array at the same time.
    EXPECT_EQ(m_lock(CCC_ARRAY, 0), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    EXPECT_EQ(m_unlock(CCC_ARRAY, 0), M_SUCCESS);
  });
}

TEST(Locks, WrongUseIsACode) {
  ProcessesForTests job(1, 1, 1);
  job.run([&](int) {
    EXPECT_EQ(m_lock(CCC_ALL, -1), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_lock(static_cast<m_scope_t>(CCC_ARRAY + 1), 0), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_unlock(CCC_ALL, 0), M_ERROR_CONTEXT);  // nobody holds it
    EXPECT_EQ(m_lock(CCC_ALL, 0), M_SUCCESS);
    EXPECT_EQ(m_lock(CCC_ALL, 0), M_ERROR_CONTEXT);  // it would wait for itself
    EXPECT_EQ(m_run([](void*) { EXPECT_EQ(m_unlock(CCC_ALL, 0), M_ERROR_CONTEXT); }, nullptr), M_SUCCESS);
    EXPECT_EQ(m_unlock(CCC_ALL, 0), M_SUCCESS);
  });
}

}  // namespace
}  // namespace taihu::parallelc
