// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/kernels.h"

#include <gtest/gtest.h>

#include <atomic>

#include "taihu/abi/parallelc.h"
#include "taihu/base/error.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

void count(void* counter) {
  ++*static_cast<std::atomic<int>*>(counter);
}

TEST(Kernels, RunOncePerThread) {
  for (const int threads : {1, 2, 9}) {
    ProcessesForTests job(1, 2, threads);
    job.run([&](int) {
      std::atomic<int> calls{0};
      for (int round = 1; round <= 20; ++round) {
        EXPECT_EQ(m_run(count, &calls), M_SUCCESS);
        EXPECT_EQ(calls, round * threads);
      }
    });
  }
}

TEST(Kernels, SpawnedOnesAreJoinedInAnyOrderAndOnce) {
  ProcessesForTests job(1, 1, 2);
  job.run([&](int) {
    std::atomic<int> first{0}, second{0};
    const m_spawn_t one = m_spawn(count, &first);
    const m_spawn_t other = m_spawn(count, &second);
    ASSERT_NE(one, nullptr);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(job.process(0).array->unjoined(), 2);
    EXPECT_EQ(m_join(other), M_SUCCESS);
    EXPECT_EQ(second, 2);
    EXPECT_EQ(m_join(one), M_SUCCESS);
    EXPECT_EQ(first, 2);
    EXPECT_EQ(m_join(one), M_ERROR_ARGUMENT);
    EXPECT_EQ(job.process(0).array->unjoined(), 0);
    check_joined(job.process(0));
  });
}

TEST(Kernels, WrongUseIsACode) {
  ProcessesForTests job(1, 1, 2);
  job.run([&](int) {
    EXPECT_EQ(m_run(nullptr, nullptr), M_ERROR_ARGUMENT);
    EXPECT_EQ(m_spawn(nullptr, nullptr), nullptr);
    EXPECT_EQ(m_join(nullptr), M_ERROR_ARGUMENT);
    std::atomic<int> inside{0};
    EXPECT_EQ(m_run(
                  [](void* counter) {
                    EXPECT_EQ(m_run(count, counter), M_ERROR_CONTEXT);
                    EXPECT_EQ(m_spawn(count, counter), nullptr);
                  },
                  &inside),
              M_SUCCESS);
    EXPECT_EQ(inside, 0);
  });
}

TEST(Kernels, ThreadsHaveAScratchpadAndProcessCodeNone) {
  ProcessesForTests job(1, 1, 3);
  job.run([&](int) {
    EXPECT_EQ(current_accelerator_thread(), nullptr);
    std::atomic<int> found{0};
    EXPECT_EQ(m_run(
                  [](void* counter) {
                    const AcceleratorThread* thread = current_accelerator_thread();
                    if (thread != nullptr && thread->scratchpad != nullptr) count(counter);
                  },
                  &found),
              M_SUCCESS);
    EXPECT_EQ(found, 3);
  });
}

TEST(Kernels, ScratchpadVariablesThatDoNotFitAreRefused) {
  alignas(64) static char variables[128];
  unsigned long long settings[] = {128, 0};
  taihu_program program{};
  program.settings = settings;
  program.scratchpad = {variables, variables + sizeof variables};
  EXPECT_NO_THROW(check_scratchpad(program));
  settings[TAIHU_SCRATCHPAD_CAPACITY_BYTES] = 127;
  EXPECT_THROW(check_scratchpad(program), Error);
}

}  // namespace
}  // namespace taihu::parallelc
