// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/deadlock_watch.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>

#include "taihu/message/job_for_tests.h"

namespace taihu::node {
namespace {

using Progress = DeadlockWatch::Progress;

std::string nothing() {
  return "";
}

/// A job of several node processes, one rank each, whose ranks do as `looks` say; ends when one asks for it.
void watch_job(int processes, double timeout, const std::function<Progress()>& look,
               const std::function<std::string()>& report, const std::function<bool()>& is_over) {
  message::JobForTests job(processes, processes);
  std::vector<std::unique_ptr<DeadlockWatch>> watches;
  for (int process = 0; process < processes; ++process)
    watches.push_back(std::make_unique<DeadlockWatch>(
        job.node(process), timeout, DeadlockWatch::Questions{.look = look, .report = report}));
  while (!is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  watches.clear();
  job.finish();
}

TEST(DeadlockWatch, LeavesRanksAloneThatGoOnOrCompute) {
  std::atomic<std::uint64_t> turns{0};
  watch_job(2, 0.01, [&] { return Progress{{++turns}, true}; }, nothing, [&] { return turns > 40; });
  turns = 0;
  watch_job(2, 0.01, [&] { return ++turns, Progress{{7}, false}; }, nothing, [&] { return turns > 40; });
}

TEST(DeadlockWatch, OneProcessThatGoesOnIsEnough) {
  std::atomic<std::uint64_t> turns{0};
  std::atomic<int> asked{0};
  watch_job(
      2, 0.01,
      [&] {
        // Each of the two watches asks from a thread of its own.
        static thread_local const bool goes_on = asked++ == 0;
        ++turns;
        return goes_on ? Progress{{turns}, true} : Progress{{7}, true};
      },
      nothing, [&] { return turns > 60; });
}

TEST(DeadlockWatch, TakesNoSignalsAndNoNameOfARank) {
  std::atomic<bool> looked{false};
  watch_job(
      1, 0.01,
      [&] {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        EXPECT_EQ(sigismember(&blocked, SIGUSR1), 1);
        char name[16];
        pthread_getname_np(pthread_self(), name, sizeof name);
        EXPECT_STREQ(name, "taihu-watch");
        looked = true;
        return Progress{{7}, false};
      },
      nothing, [&] { return looked.load(); });
}

TEST(DeadlockWatchDeath, AJobThatStandsStillIsReportedAndEnded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(watch_job(
                  1, 0.05, [] { return Progress{{7}, true}; }, [] { return std::string("rank 0 waits\n"); },
                  [] { return false; }),
              testing::ExitedWithCode(1), "taihu: deadlock: no rank has gone on for 0.05 s\nrank 0 waits");
}

}  // namespace
}  // namespace taihu::node
