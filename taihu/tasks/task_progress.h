// SPDX-License-Identifier: Apache-2.0
// `--task-progress`: a line from time to time for each round of tasks that is under way, with an estimate of
// its end. Asks the global masters, so nothing is added to the way of a task.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "taihu/tasks/task_distributor.h"
#include "taihu/tasks/task_pool.h"

namespace taihu::tasks {

/// How far a round is.
struct RoundProgress {
  std::int64_t total = 0;
  std::int64_t complete_before = 0;  ///< in its checkpoint file when it began
  std::int64_t handed_out = 0;       ///< since then
  double seconds = 0;                ///< since then
};

/// "taihu: tasks of CCC_ALL: 3200 of 10000 handed out in 8 s, 400 a second; all in about 17 s\n". The time
/// that is left is that of the tasks not handed out, at the rate so far.
std::string progress_line(const std::string& group, const RoundProgress& progress);

class TaskProgress {
 public:
  /// A scope group whose global master is here. Ids that lie ready in other node processes count as handed
  /// out: few, and fewer towards the end (TaskDistributor::largest_batch).
  struct Group {
    std::string name;
    TaskDistributor& master;
    TaskPool& pool;  ///< the one that members here ask
  };

  /// Prints every `seconds`. All of `groups` must outlive this object.
  TaskProgress(std::vector<Group> groups, double seconds);
  ~TaskProgress();
  TaskProgress(const TaskProgress&) = delete;
  TaskProgress& operator=(const TaskProgress&) = delete;

  /// The lines for now.
  static std::string lines(const std::vector<Group>& groups);

 private:
  void print();

  const std::vector<Group> groups_;
  const double seconds_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace taihu::tasks
