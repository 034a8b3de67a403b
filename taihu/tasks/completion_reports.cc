// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/completion_reports.h"

#include <utility>

#include "taihu/tasks/task_file.h"

namespace taihu::tasks {

void CompletionReports::begin_round(std::int64_t round) {
  const std::lock_guard hold(mutex_);
  round_ = round;
}

void CompletionReports::add(std::int64_t id) {
  std::unique_lock lock(mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;
  waiting_.push_back({id, id + 1});
  ++added_;
  if (!under_way_) send(lock);
}

std::uint64_t CompletionReports::all() const {
  const std::lock_guard hold(mutex_);
  return added_;
}

bool CompletionReports::recorded(std::uint64_t mark) const {
  const std::lock_guard hold(mutex_);
  return recorded_ >= mark || (failed_.load(std::memory_order_relaxed) && !under_way_);
}

std::string CompletionReports::problem() const {
  const std::lock_guard hold(mutex_);
  return problem_;
}

/// Releases the lock.
void CompletionReports::send(std::unique_lock<std::mutex>& lock) {
  under_way_ = true;
  const std::uint64_t count = waiting_.size();
  TaskRequest report;
  report.kind = TaskRequest::Kind::completed;
  report.round = round_;
  report.completed = joined(std::exchange(waiting_, {}));
  lock.unlock();
  master_.ask(report, [this, count](const TaskReply& reply) { answered(count, reply); });
}

void CompletionReports::answered(std::uint64_t count, const TaskReply& reply) {
  std::unique_lock lock(mutex_);
  under_way_ = false;
  if (reply.state == TaskReply::State::granted) {
    recorded_ += count;
    if (!waiting_.empty()) send(lock);
  } else {
    problem_ = reply.state == TaskReply::State::file_refused ? reply.text
                                                             : "the task master refused a completed task";
    failed_.store(true, std::memory_order_release);
  }
  if (lock.owns_lock()) lock.unlock();
  changed_();
}

}  // namespace taihu::tasks
