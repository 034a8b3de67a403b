// SPDX-License-Identifier: Apache-2.0
// Writes a checkpoint file of tasks on a thread of its own, so that nobody who takes tasks waits for the
// disk. What arrives while it writes is written together, with one fdatasync.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "taihu/tasks/task_file.h"
#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

class TaskRecorder {
 public:
  /// Throws Error as TaskFile.
  TaskRecorder(const std::string& path, std::int64_t total);
  /// Writes what has arrived. Not from within an answer.
  ~TaskRecorder();
  TaskRecorder(const TaskRecorder&) = delete;
  TaskRecorder& operator=(const TaskRecorder&) = delete;

  /// As TaskFile::missing.
  const std::vector<TaskRange>& missing() const noexcept { return file_.missing(); }

  /// Records complete tasks. `answer` is called on the writing thread once they are on the disk, or with
  /// State::file_refused and the reason when they cannot be written. Any thread.
  void add(const std::vector<TaskRange>& complete, TaskAnswer answer);

 private:
  void write();

  TaskFile file_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<TaskRange> waiting_;
  std::vector<TaskAnswer> answers_;
  bool stop_ = false;
  std::thread thread_;  // last: uses all above
};

}  // namespace taihu::tasks
