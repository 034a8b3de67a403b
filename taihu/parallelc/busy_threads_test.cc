// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/busy_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "taihu/abi/parallelc.h"
#include "taihu/base/sanitizers.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int threads = 3;
constexpr double timeout = 0.1;

/// What the threads of a kernel do.
struct Work {
  std::atomic<int> computing{0};  ///< threads that do
  std::atomic<bool> is_over{false};
  int busy_from = 0;  ///< threads from this on compute
};

void work_and_meet(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  if (m_rank(CCC_ARRAY) >= work.busy_from) {
    ++work.computing;
    while (!work.is_over.load(std::memory_order_relaxed)) {
    }
  }
  m_barrier(CCC_ARRAY);
}

class BusyThreadsTest : public testing::Test {
 protected:
  BusyThreadsTest() { waits_wanted = true; }
  ~BusyThreadsTest() override { waits_wanted = false; }

  /// Runs a kernel in which the threads from `busy_from` on compute, and reports twice meanwhile.
  std::array<std::string, 2> reports(int busy_from) {
    Work work;
    work.busy_from = busy_from;
    std::array<std::string, 2> texts;
    std::thread watch([&] {
      while (work.computing < threads - busy_from) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::duration<double>(2 * timeout));
      for (std::string& text : texts) text = busy_.report(job_.process(0));
      work.is_over = true;
    });
    job_.run([&](int) { m_run(work_and_meet, &work); });
    watch.join();
    return texts;
  }

  ProcessesForTests job_{1, 1, threads};
  BusyThreads busy_{timeout};
};

// A sanitizer that puts signals off until the thread calls something hears nothing of one that only computes.
TEST_F(BusyThreadsTest, WhoKeepsOthersWaitingIsNamedOnce) {
  if constexpr (TAIHU_THREAD_SANITIZER) return;
  const std::string expected =
      "taihu: rank 0, accelerator thread 2, has not come back to the runtime for 0.1 s while 2 others of its "
      "array wait, at ";
  const auto [first, second] = reports(2);
  EXPECT_EQ(first.substr(0, expected.size()), expected);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1);
  EXPECT_EQ(second, "");
  // It has been back in between.
  EXPECT_EQ(reports(2)[0].substr(0, expected.size()), expected);
}

TEST_F(BusyThreadsTest, NobodyWaitsForThem) {
  EXPECT_EQ(reports(0)[0], "");
}

TEST_F(BusyThreadsTest, NoKernelRuns) {
  EXPECT_EQ(busy_.report(job_.process(0)), "");
}

}  // namespace
}  // namespace taihu::parallelc
