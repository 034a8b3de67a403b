// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace taihu::tasks {
namespace {

TEST(TaskProgressLine, EstimatesTheEnd) {
  EXPECT_EQ(progress_line("CCC_ALL", {10000, 0, 3200, 8.0}),
            "taihu: tasks of CCC_ALL: 3200 of 10000 handed out in 8.0 s, 400 a second; all in about 17 s\n");
  EXPECT_EQ(progress_line("CCC_ARRAY of rank 3", {4, 0, 1, 20.0}),
            "taihu: tasks of CCC_ARRAY of rank 3: 1 of 4 handed out in 20 s, 0.1 a second; all in about "
            "60 s\n");
}

TEST(TaskProgressLine, TasksOfTheCheckpointFileDoNotCountForTheRate) {
  EXPECT_EQ(progress_line("CCC_ALL", {100, 80, 10, 5.0}),
            "taihu: tasks of CCC_ALL: 90 of 100 handed out, 80 of them complete in the checkpoint file in "
            "5.0 s, 2.0 a second; all in about 5.0 s\n");
}

TEST(TaskProgressLine, NothingToEstimate) {
  EXPECT_EQ(progress_line("CCC_ALL", {10, 0, 0, 3.0}),
            "taihu: tasks of CCC_ALL: 0 of 10 handed out in 3.0 s\n");
  EXPECT_EQ(progress_line("CCC_ALL", {10, 0, 10, 3.0}),
            "taihu: tasks of CCC_ALL: 10 of 10 handed out in 3.0 s, 3.3 a second; the last ones are under "
            "way\n");
}

class ProgressOfARound : public testing::Test {
 protected:
  std::string lines() { return TaskProgress::lines({{"g", master_, pool_}}); }
  std::int64_t take(const TaskRound& round) { return pool_.take(0, process_code, round, &problem_); }

  TaskDistributor master_{1, 1, nullptr};
  TaskPool pool_{0, 1, 0, master_, master_};
  std::string problem_;
};

TEST_F(ProgressOfARound, IsToldWhileItIsUnderWay) {
  EXPECT_EQ(lines(), "");
  for (int round = 0; round < 2; ++round) {
    for (int k = 1; k <= 5; ++k) {
      EXPECT_GE(take(5), 0);
      EXPECT_NE(lines().find("taihu: tasks of g: " + std::to_string(k) + " of 5 handed out in 0.0 s"),
                std::string::npos)
          << lines();
    }
    EXPECT_EQ(take(5), no_task);
    EXPECT_EQ(lines(), "");
  }
}

TEST(TaskProgress, KnowsWhatACheckpointFileHas) {
  const std::string file = testing::TempDir() + "task_progress_" + std::to_string(getpid());
  std::filesystem::remove(file);
  std::string problem;
  for (const int takes : {3, 1}) {
    TaskDistributor master(1, 1, nullptr);
    TaskPool pool(0, 1, 0, master, master);
    for (int k = 0; k < takes; ++k) EXPECT_GE(pool.take(0, process_code, {4, file}, &problem), 0) << problem;
    if (takes == 1) {
      const std::string lines = TaskProgress::lines({{"g", master, pool}});
      // The last one that was taken has not been completed.
      EXPECT_NE(lines.find(": 3 of 4 handed out, 2 of them complete in the checkpoint file"),
                std::string::npos)
          << lines;
    }
    pool.finish();
  }
  std::filesystem::remove(file);
}

TEST(TaskProgress, StopsAtOnce) {
  TaskDistributor master(1, 1, nullptr);
  TaskPool pool(0, 1, 0, master, master);
  const TaskProgress progress({{"g", master, pool}}, 1e6);
}

}  // namespace
}  // namespace taihu::tasks
