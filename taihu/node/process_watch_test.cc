// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/process_watch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "taihu/launch/layout.h"
#include "taihu/message/job_for_tests.h"

namespace taihu::node {
namespace {

using std::chrono::milliseconds;
constexpr double short_time = 0.1;

void wait_until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(milliseconds(1));
}

TEST(ProcessWatch, ProcessesThatAnswerAreNotLost) {
  message::JobForTests job(3, 3);
  std::atomic<int> lost{0};
  {
    // A loaded machine may give a thread nothing for a while, so the timeout is long compared with a turn.
    std::vector<std::unique_ptr<ProcessWatch>> watches;
    for (int process = 0; process < 3; ++process)
      watches.push_back(std::make_unique<ProcessWatch>(job.node(process), 2, [&](int) { ++lost; }));
    std::this_thread::sleep_for(milliseconds(600));  // one period and a part
    watches[1].reset();                              // one that ends is not waited for
    std::this_thread::sleep_for(milliseconds(600));
    watches[2].reset();
  }
  job.finish();
  EXPECT_EQ(lost, 0);
}

TEST(ProcessWatch, Process0LosesOneThatNeverCalls) {
  message::JobForTests job(3, 3);
  std::atomic<int> lost{-1};
  ProcessWatch first(job.node(0), short_time, [&](int process) { lost = process; });
  wait_until([&] { return lost != -1; });
  EXPECT_TRUE(lost == 1 || lost == 2);
  job.finish();
}

TEST(ProcessWatch, OthersLoseProcess0ThatDoesNotAnswer) {
  message::JobForTests job(2, 2);
  std::atomic<int> lost{-1};
  auto other = std::make_unique<ProcessWatch>(job.node(1), short_time, [&](int process) { lost = process; });
  wait_until([&] { return lost != -1; });
  EXPECT_EQ(lost, 0);
  // Process 0 serves at last, so that the other one can take its leave.
  ProcessWatch first(job.node(0), 1000, [](int) {});
  other.reset();
  job.finish();
}

TEST(ProcessWatch, TheLastSignOfLifeEndsTheWatch) {
  message::JobForTests job(2, 2);
  std::atomic<int> lost{-1};
  ProcessWatch first(job.node(0), 1, [&](int process) { lost = process; });
  {
    const ProcessWatch other(job.node(1), 1000, [](int) {});
  }
  std::this_thread::sleep_for(milliseconds(1500));
  EXPECT_EQ(lost, -1);
  job.finish();
}

TEST(ProcessWatchDeath, AJobWithoutAProcessEndsWithALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        message::JobForTests job(2, 5);
        end_job_without(job.node(0), 1, 30);
      },
      testing::ExitedWithCode(1),
      "node process 1 on node0 \\(ranks 3 to 4\\) has not answered for 30 s .*--node-timeout 0");
}

TEST(ProcessWatch, RanksThatMayStartLaterAreNotNamed) {
  launch::Layout layout = message::layout_for_tests(5, 2);
  launch::add_spare_ranks(layout, 1024);
  EXPECT_EQ(
      lost_process(layout, 1, 2.5),
      "node process 1 on node0 (ranks 3 to 4) has not answered for 2.5 s (its host or the network is down, "
      "or it was stopped); ending the job (--node-timeout 0 waits forever)");
}

}  // namespace
}  // namespace taihu::node
