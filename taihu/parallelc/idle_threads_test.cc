// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/idle_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int threads = 3;

collective::Helpers::Work counting(std::atomic<int>& calls) {
  return {[](void* argument) { static_cast<std::atomic<int>*>(argument)->fetch_add(1); }, &calls};
}

TEST(IdleThreads, AllOfThemWork) {
  ProcessesForTests job(1, 2, threads);
  job.run([&](int rank) {
    std::atomic<int> calls{0};
    for (int k = 0; k < 10; ++k) EXPECT_TRUE(job.process(rank).idle_threads.run(counting(calls)));
    EXPECT_EQ(calls, 10 * threads);
  });
}

TEST(IdleThreads, NoneWhileKernelsRun) {
  ProcessesForTests job(1, 1, threads);
  job.run([&](int) {
    Process& process = job.process(0);
    EXPECT_EQ(process.idle_threads.count(), threads);
    static std::atomic<bool> ends;
    ends = false;
    const m_spawn_t kernel = m_spawn(
        [](void* argument) {
          EXPECT_EQ(static_cast<IdleThreads*>(argument)->count(), 1);
          ends.wait(false);
        },
        &process.idle_threads);
    EXPECT_EQ(process.idle_threads.count(), 1);
    ends = true;
    ends.notify_all();
    m_join(kernel);
    EXPECT_EQ(process.idle_threads.count(), threads);
  });
}

TEST(IdleThreads, NoneWithoutACoreForEach) {
  ProcessesForTests job(1, 1, threads);
  SharedServices& services = *job.process(0).services;
  services.cores = threads;  // and the process itself
  EXPECT_EQ(job.process(0).idle_threads.count(), 1);
  services.cores = 2 * (threads + 1);
  services.node_ranks = 2;
  EXPECT_EQ(job.process(0).idle_threads.count(), threads);
  services.node_ranks = 3;
  EXPECT_EQ(job.process(0).idle_threads.count(), 1);
}

TEST(IdleThreads, HelpInAlltoall) {
  for (const int processes : {1, 2}) {
    const int ranks = 3;
    const long count = 50'000;
    ProcessesForTests job(processes, ranks, threads);
    job.run([&](int rank) {
      std::vector<long> source(static_cast<std::size_t>(ranks * count));
      std::vector<long> result(source.size());
      for (std::size_t k = 0; k < source.size(); ++k) source[k] = rank * 1'000'000 + static_cast<long>(k);
      for (int call = 0; call < 2 * collective::HelpChoice::first_tries + 1; ++call) {
        result.assign(result.size(), -1);
        ASSERT_EQ(m_alltoall(CCC_ALL, source.data(), result.data(), count, M_LONG), M_SUCCESS);
        for (long k = 0; k < ranks * count; ++k)
          ASSERT_EQ(result[static_cast<std::size_t>(k)], k / count * 1'000'000 + rank * count + k % count);
        // Kernels of the program run before and after.
        std::atomic<int> calls{0};
        ASSERT_EQ(m_run(counting(calls).call, &calls), M_SUCCESS);
        ASSERT_EQ(calls, threads);
      }
    });
  }
}

}  // namespace
}  // namespace taihu::parallelc
