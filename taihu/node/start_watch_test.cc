// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/start_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

namespace taihu::node {
namespace {

TEST(StartWatch, AStartThatIsLateIsTold) {
  std::atomic<bool> late{false};
  const StartWatch watch(0.05, 0, [&] { late = true; });
  while (!late) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(StartWatch, AStartInTimeIsNot) {
  std::atomic<bool> late{false};
  {
    const StartWatch watch(1000, 0, [&] { late = true; });
  }
  EXPECT_FALSE(late);
}

TEST(StartWatch, OthersLeaveTheFirstOneTimeToSpeak) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> late{false};
  const StartWatch watch(0.05, 1, [&] { late = true; });
  while (!late) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST(StartWatch, AProcessOfTheSameLauncherThatIsStoppedIsFound) {
  // A launcher with two processes: the first is stopped, the second looks.
  const pid_t launcher = fork();
  if (launcher == 0) {
    const pid_t stopped = fork();
    if (stopped == 0) {
      raise(SIGSTOP);
      _exit(0);
    }
    int status = 0;
    waitpid(stopped, &status, WUNTRACED);
    const pid_t looks = fork();
    if (looks == 0) _exit(stopped_neighbour() == stopped ? 0 : 1);
    waitpid(looks, &status, 0);
    kill(stopped, SIGKILL);
    waitpid(stopped, nullptr, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = 0;
  waitpid(launcher, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(stopped_neighbour(), 0);
}

TEST(StartWatch, TheLineSaysWhoWaitedAndWhy) {
  EXPECT_EQ(
      late_start(0, "a", 2.5, 0),
      "node process 0 on a has waited for the others of the job for 2.5 s (one was stopped or is lost, or "
      "the network between the hosts is down); ending the job (--node-timeout 0 waits forever)");
  EXPECT_NE(late_start(1, "a", 300, 4711).find("(process 4711 there is stopped)"), std::string::npos);
}

TEST(StartWatchDeath, AJobThatHasNotStartedEndsWithTheLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_late_start(0, 30), testing::ExitedWithCode(1),
              "has waited for the others of the job for 30 s");
}

}  // namespace
}  // namespace taihu::node
