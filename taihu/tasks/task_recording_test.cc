// SPDX-License-Identifier: Apache-2.0
// Rounds with a checkpoint file, over several node processes, stopped and begun again.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "taihu/base/random.h"
#include "taihu/tasks/fake_node.h"
#include "taihu/tasks/task_service.h"

namespace taihu::tasks {
namespace {

using launch::Scope;

struct RecordedJob {
  RecordedJob(int ranks, int processes, launch::ScopeSizes sizes, int array_size = 1,
              std::int64_t deadline_ns = no_deadline)
      : fake(fake_layout(ranks, processes, sizes)) {
    for (auto& node : fake.nodes)
      services.push_back(std::make_unique<TaskService>(*node, array_size, deadline_ns));
  }
  ~RecordedJob() {
    for (auto& service : services) service->finish();
  }
  TaskService& of(int rank) { return *services[static_cast<std::size_t>(fake.layout.process_of(rank))]; }

  FakeJob fake;
  std::vector<std::unique_ptr<TaskService>> services;
};

class TaskRecording : public testing::Test {
 protected:
  TaskRecording() { std::filesystem::remove(file_); }
  ~TaskRecording() override { std::filesystem::remove(file_); }

  std::int64_t left(std::int64_t total) const {
    std::int64_t sum = 0;
    const TaskFile file(file_, total);
    for (const TaskRange& range : file.missing()) sum += range.size();
    return sum;
  }

  const std::string file_ = testing::TempDir() + "task_recording_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                            std::to_string(getpid());
};

struct JobShape {
  int ranks;
  int processes;
  launch::ScopeSizes sizes;
};
constexpr JobShape shapes[] = {{1, 1, {1, 1, 1}}, {5, 1, {5, 5, 5}},  {2, 2, {2, 1, 1}},
                               {7, 3, {7, 1, 1}}, {12, 6, {4, 2, 1}}, {3, 2, {3, 1, 1}}};

// Each job leaves in the middle, its members at tasks of their own; the next one has another shape.
TEST_F(TaskRecording, HandsOutTheRestToJobsOfOtherShapes) {
  for (const std::int64_t total : {0, 1, 7, 1000}) {
    std::filesystem::remove(file_);
    std::vector<std::atomic<int>> completed(static_cast<std::size_t>(total));
    std::int64_t all = 0;
    for (std::size_t run = 0; all < total || run < 1; ++run) {
      const JobShape& shape = shapes[run % std::size(shapes)];
      ASSERT_LT(run, 200u);
      {
        RecordedJob job(shape.ranks, shape.processes, shape.sizes);
        job.fake.run_ranks([&](int rank, int) {
          Random random(run * 100 + static_cast<std::uint64_t>(rank));
          std::int64_t leave = 1 + static_cast<std::int64_t>(random.below(30)) + (run > 100 ? total : 0);
          std::string problem;
          std::int64_t task = no_task;
          while (leave-- > 0) {
            const std::int64_t next =
                job.of(rank).take(Scope::all, rank, process_code, {total, file_}, &problem);
            if (task >= 0) ++completed[static_cast<std::size_t>(task)];
            task = next;
            if (task < 0) break;
          }
          EXPECT_EQ(problem, "");
        });
      }
      all = 0;
      for (const auto& times : completed) {
        ASSERT_LE(times, 1) << "handed out again although it was complete";
        all += times;
      }
      ASSERT_EQ(left(total), total - all);
    }
    RecordedJob job(3, 2, {3, 1, 1});
    job.fake.run_ranks([&](int rank, int) {
      std::string problem;
      EXPECT_EQ(job.of(rank).take(Scope::all, rank, process_code, {total, file_}, &problem), no_task);
    });
  }
}

TEST_F(TaskRecording, WhoIsToldTheEndFindsItsTasksOnTheDisk) {
  RecordedJob job(2, 2, {2, 1, 1});
  std::string problem;
  for (std::int64_t id = 0; id < 3; ++id)
    EXPECT_GE(job.of(0).take(Scope::all, 0, process_code, {3, file_}, &problem), 0);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, {3, file_}, &problem), no_task);
  std::ifstream file(file_, std::ios::binary | std::ios::ate);
  EXPECT_GT(file.tellg(), 24);
  const std::string copy = file_ + ".copy";  // the file itself is locked until rank 1 is told the end, too
  std::filesystem::copy_file(file_, copy, std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(TaskFile(copy, 3).missing().empty());
  std::filesystem::remove(copy);
  EXPECT_EQ(job.of(1).take(Scope::all, 1, process_code, {3, file_}, &problem), no_task);
}

TEST_F(TaskRecording, RoundsWithTheSameFileAndWithoutOne) {
  RecordedJob job(4, 2, {4, 2, 2}, 1);
  std::atomic<int> taken[4] = {};
  job.fake.run_ranks([&](int rank, int) {
    std::string problem;
    for (int round = 0; round < 4; ++round) {
      const TaskRound wanted(50, round == 1 ? "" : std::string_view(file_));
      while (job.of(rank).take(Scope::all, rank, process_code, wanted, &problem) >= 0) ++taken[round];
    }
    EXPECT_EQ(problem, "");
  });
  EXPECT_EQ(taken[0], 50);
  EXPECT_EQ(taken[1], 50);
  EXPECT_EQ(taken[2], 0) << "all of the file is complete";
  EXPECT_EQ(taken[3], 0);
}

TEST_F(TaskRecording, NamesWhatIsWrong) {
  RecordedJob job(3, 2, {3, 1, 1});
  std::string problem;
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, {5, "/no/folder/x"}, &problem), task_refused);
  EXPECT_EQ(problem, "cannot open checkpoint file /no/folder/x (No such file or directory)");
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, {5, file_}, &problem), 0);
  for (const int rank : {1, 2}) {
    EXPECT_EQ(job.of(rank).take(Scope::all, rank, process_code, {5, "other"}, &problem), task_refused);
    EXPECT_EQ(problem,
              "get_task_id of rank " + std::to_string(rank) +
                  " gives checkpoint file 'other', but the round is under way with checkpoint file '" +
                  file_ + "'; pass the same on all members");
  }
  EXPECT_EQ(job.of(1).take(Scope::all, 1, process_code, 5, &problem), task_refused);
  EXPECT_NE(problem.find("gives no checkpoint file"), std::string::npos) << problem;
  EXPECT_EQ(job.of(2).take(Scope::node, 2, process_code, {5, file_}, &problem), task_refused);
  EXPECT_NE(problem.find("is in use"), std::string::npos) << problem;
  EXPECT_GE(job.of(2).take(Scope::all, 2, process_code, {5, file_}, &problem), 0) << "the right file goes on";
}

// No byte fits behind the head of the file.
TEST_F(TaskRecording, AFailureToWriteIsToldToWhoAsks) {
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{24, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string problem;
  {
    RecordedJob job(2, 2, {2, 1, 1});
    std::int64_t id = 0;
    while ((id = job.of(1).take(Scope::all, 1, process_code, {5, file_}, &problem)) >= 0) continue;
    EXPECT_EQ(id, task_refused);
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(problem, "cannot write checkpoint file " + file_ + " (File too large)");
}

// Whatever shape the job has: it ends soon after the deadline, and the rest is done by the next one.
TEST_F(TaskRecording, ADeadlineLeavesTheRestToTheNextJob) {
  for (const JobShape& shape : shapes) {
    std::filesystem::remove(file_);
    constexpr std::int64_t total = 1'000'000;
    std::atomic<std::int64_t> taken{0};
    {
      RecordedJob job(shape.ranks, shape.processes, shape.sizes, 1, now_ns() + 50'000'000);
      job.fake.run_ranks([&](int rank, int) {
        std::string problem;
        std::int64_t id = 0;
        while ((id = job.of(rank).take(Scope::all, rank, process_code, {total, file_}, &problem)) >= 0) {
          ++taken;
          std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
        EXPECT_EQ(id, too_late) << problem;
        // The next round is too late, too; one without tasks leaves nothing.
        EXPECT_EQ(job.of(rank).take(Scope::all, rank, process_code, 5, &problem), too_late);
        EXPECT_EQ(job.of(rank).take(Scope::all, rank, process_code, 5, &problem), too_late);
      });
    }
    EXPECT_LT(taken, total);
    EXPECT_EQ(left(total), total - taken) << "all that was taken is complete";
  }
}

TEST_F(TaskRecording, ADeadlineThatIsNotReachedChangesNothing) {
  RecordedJob job(3, 2, {3, 1, 1}, 1, now_ns() + std::int64_t{3600} * 1'000'000'000);
  std::atomic<int> taken{0};
  job.fake.run_ranks([&](int rank, int) {
    std::string problem;
    std::int64_t id = 0;
    while ((id = job.of(rank).take(Scope::all, rank, process_code, {500, file_}, &problem)) >= 0) ++taken;
    EXPECT_EQ(id, no_task);
  });
  EXPECT_EQ(taken, 500);
  EXPECT_EQ(left(500), 0);
}

// Threads of kernels: some return with a task in their hands, which nobody has completed.
TEST_F(TaskRecording, ATaskOfAThreadThatDoesNotAskAgainIsNotComplete) {
  for (int run = 0; run < 2; ++run) {
    RecordedJob job(1, 1, {1, 1, 1}, 3);
    std::string problem;
    const auto ask = [&](int member) { return job.of(0).take(Scope::all, 0, member, {10, file_}, &problem); };
    if (run == 0) {
      EXPECT_EQ(ask(0), 0);
      EXPECT_EQ(ask(1), 1);
      EXPECT_EQ(ask(1), 2);
      while (ask(2) >= 0) continue;
      job.of(0).kernel_ended(0);
      EXPECT_EQ(job.of(0).take(Scope::all, 0, 0, {20, ""}, &problem), 0) << "the next round";
      EXPECT_EQ(job.of(0).take(Scope::all, 0, 0, {20, ""}, &problem), 1);
    } else {
      EXPECT_EQ(ask(0), 0);
      EXPECT_EQ(ask(1), 2);
      EXPECT_EQ(ask(0), no_task);
    }
    EXPECT_EQ(problem, "");
  }
}

}  // namespace
}  // namespace taihu::tasks
