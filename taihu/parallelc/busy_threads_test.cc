// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/busy_threads.h"

#include <gtest/gtest.h>
#include <signal.h>

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
  std::atomic<bool> sleeps{false};  ///< before they compute
  bool calls = false;               ///< again and again, and need not wait
  int naming_report = -1;           ///< which names somebody: it is repeated until it does
  int busy_from = 0;                ///< threads from this on compute
};

void work_and_meet(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  if (m_rank(CCC_ARRAY) >= work.busy_from) {
    ++work.computing;
    work.sleeps.wait(true);
    while (!work.is_over.load(std::memory_order_relaxed)) {
      int found = 0;
      if (work.calls) m_iprobe(0, 1, &found, nullptr);
    }
  }
  m_barrier(CCC_ARRAY);
}

class BusyThreadsTest : public testing::Test {
 protected:
  BusyThreadsTest() { waits_wanted = true; }
  ~BusyThreadsTest() override { waits_wanted = false; }

  /// Runs a kernel in which the threads from `busy_from` on compute, and reports twice meanwhile.
  std::array<std::string, 2> reports(int busy_from, int naming_report = -1) {
    Work work;
    work.busy_from = busy_from;
    work.naming_report = naming_report;
    return reports(work);
  }
  /// Who sleeps does so during the first report.
  std::array<std::string, 2> reports(Work& work) {
    std::array<std::string, 2> texts;
    std::thread watch([&] {
      while (work.computing < threads - work.busy_from) std::this_thread::yield();
      for (int number = 0; number < 2; ++number) {
        std::string& text = texts[static_cast<std::size_t>(number)];
        // Who gets no core for some time does not answer then.
        for (int turn = 0; turn == 0 || (number == work.naming_report && text.empty() && turn < 100);
             ++turn) {
          std::this_thread::sleep_for(std::chrono::duration<double>(2 * timeout));
          text = busy_.report(job_.process(0));
        }
        work.sleeps = false;
        work.sleeps.notify_all();
      }
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
  const auto [first, second] = reports(2, 0);
  EXPECT_EQ(first.substr(0, expected.size()), expected);
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1);
  EXPECT_EQ(second, "");
  // It has been back in between.
  EXPECT_EQ(reports(2, 0)[0].substr(0, expected.size()), expected);
}

TEST_F(BusyThreadsTest, WhoSleptWhenItWasAskedIsAskedAgain) {
  if constexpr (TAIHU_THREAD_SANITIZER) return;
  Work work;
  work.busy_from = 2;
  work.sleeps = true;
  work.naming_report = 1;
  const auto [asleep, awake] = reports(work);
  EXPECT_EQ(asleep, "");
  EXPECT_NE(awake.find("accelerator thread 2, has not come back"), awake.npos) << awake;
}

TEST_F(BusyThreadsTest, WhoCallsIsBack) {
  Work work;
  work.busy_from = 2;
  work.calls = true;
  const auto [first, second] = reports(work);
  EXPECT_EQ(first + second, "");
}

std::atomic<int> signals_of_program{0};

TEST_F(BusyThreadsTest, ASignalThatTheProgramUsesStaysItsOwn) {
  struct sigaction own{}, before{}, now{};
  own.sa_handler = [](int) { ++signals_of_program; };
  ASSERT_EQ(sigaction(SIGURG, &own, &before), 0);
  EXPECT_EQ(reports(2)[0], "") << "nobody can be asked";
  EXPECT_EQ(signals_of_program, 0);
  const BusyThreads later(timeout);
  ASSERT_EQ(sigaction(SIGURG, &before, &now), 0);
  EXPECT_EQ(now.sa_handler, own.sa_handler);
}

TEST_F(BusyThreadsTest, NobodyWaitsForThem) {
  EXPECT_EQ(reports(0)[0], "");
}

TEST_F(BusyThreadsTest, NoKernelRuns) {
  EXPECT_EQ(busy_.report(job_.process(0)), "");
}

}  // namespace
}  // namespace taihu::parallelc
