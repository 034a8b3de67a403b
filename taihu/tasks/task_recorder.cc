// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_recorder.h"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "taihu/base/error.h"

namespace taihu::tasks {
namespace {

/// Between two writes, so that a stream of short tasks does not keep a core busy with writing.
constexpr std::chrono::milliseconds pause_between_writes{2};

/// The thread that opens a round is bound to the core of its rank, and so would be those that it starts.
void leave_the_ranks_core() {
  cpu_set_t cpus;
  if (sched_getaffinity(getpid(), sizeof cpus, &cpus) == 0) sched_setaffinity(0, sizeof cpus, &cpus);
}

}  // namespace

TaskRecorder::TaskRecorder(const std::string& path, std::int64_t total)
    : file_(path, total), thread_([this] { write(); }) {}

TaskRecorder::~TaskRecorder() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TaskRecorder::add(const std::vector<TaskRange>& complete, TaskAnswer answer) {
  {
    const std::lock_guard hold(mutex_);
    waiting_.insert(waiting_.end(), complete.begin(), complete.end());
    answers_.push_back(std::move(answer));
  }
  changed_.notify_one();
}

void TaskRecorder::write() {
  leave_the_ranks_core();
  std::unique_lock lock(mutex_);
  TaskReply reply;
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !answers_.empty(); });
    if (answers_.empty()) return;
    std::vector<TaskRange> complete = joined(std::exchange(waiting_, {}));
    const std::vector<TaskAnswer> answers = std::exchange(answers_, {});
    lock.unlock();
    try {
      // After a failure nothing more is written: what lies behind a gap could not be told from it.
      if (reply.state == TaskReply::State::granted) file_.append(complete);
    } catch (const Error& error) {
      reply.state = TaskReply::State::file_refused;
      reply.text = error.what();
    }
    for (const TaskAnswer& answer : answers) answer(reply);
    lock.lock();
    changed_.wait_for(lock, pause_between_writes, [&] { return stop_; });
  }
}

}  // namespace taihu::tasks
