// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_distributor.h"

#include <algorithm>
#include <utility>

#include "taihu/base/clock.h"
#include "taihu/base/error.h"

namespace taihu::tasks {

void TaskDistributor::ask(const TaskRequest& request, TaskAnswer answer) {
  if (request.kind == TaskRequest::Kind::ended) {
    child_ended(request, answer);
    return;
  }
  if (request.kind == TaskRequest::Kind::completed) {
    record(request, answer);
    return;
  }
  std::unique_lock lock(mutex_);
  waiting_.push_back({request, std::move(answer)});
  advance(lock);
}

void TaskDistributor::child_ended(const TaskRequest& request, const TaskAnswer& answer) {
  std::unique_lock lock(mutex_);
  const bool in_step = open_ && request.round == round_;
  const bool all = in_step && ++ended_children_ == children_;
  lock.unlock();
  TaskReply reply;
  reply.state = in_step ? TaskReply::State::granted : TaskReply::State::refused;
  answer(reply);
  if (!all) return;
  // First say it above, then let the next round be asked for: the order that TaskSupplier::ask demands.
  if (above_ != nullptr) above_->ask(request, [](const TaskReply&) {});
  recorder_.reset();  // the next round may have the same file
  lock.lock();
  open_ = false;
  advance(lock);
}

void TaskDistributor::record(const TaskRequest& request, const TaskAnswer& answer) {
  std::unique_lock lock(mutex_);
  // The round cannot end meanwhile: its children wait for the answer first.
  TaskRecorder* const recorder = open_ && request.round == round_ ? recorder_.get() : nullptr;
  lock.unlock();
  if (recorder != nullptr) return recorder->add(request.completed, answer);
  TaskReply refused;
  refused.state = TaskReply::State::refused;
  answer(refused);
}

/// Answers all that can be answered now, and asks above for what is missing. Leaves the lock released.
void TaskDistributor::advance(std::unique_lock<std::mutex>& lock) {
  std::vector<Due> due;
  std::vector<Waiting> still;
  TaskRequest wish;  // what to ask above: for those who wait, else as the last one served
  bool wishing = false;
  for (Waiting& waiting : waiting_) {
    TaskReply reply;
    const Fate fate = decide(waiting.request, &reply);
    if (fate == Fate::answered) {
      due.push_back({std::move(waiting.answer), reply});
      if (!wishing && reply.state == TaskReply::State::granted) wish = waiting.request;
      continue;
    }
    if (fate != Fate::waits && !wishing) {
      wish = waiting.request;
      wishing = true;
    }
    still.push_back(std::move(waiting));
  }
  waiting_ = std::move(still);
  // Ask early, while something is left, but not near the end of the round, where batches are single ids.
  const bool low = open_ && !last_ && wish.round == round_ && remaining_ > 0 && remaining_ <= last_batch_ / 2;
  if ((wishing || low) && !asking_) {
    ask_above(lock, wish);
  } else {
    lock.unlock();
  }
  for (const Due& one : due) one.answer(one.reply);
}

TaskDistributor::Fate TaskDistributor::decide(const TaskRequest& request, TaskReply* reply) {
  if (request.round == round_ + 1 && !open_) {
    if (above_ != nullptr) return Fate::waits_for_round;
    if (!open_with_file(request, reply)) return Fate::answered;
  }
  if (request.round == round_ + 1) return Fate::waits;
  reply->total = total_;
  reply->text = file_;
  if (request.round != round_ || !open_) {
    reply->state = TaskReply::State::refused;
  } else if (request.total != total_ || request.file != file_) {
    reply->state = TaskReply::State::mismatch;
  } else if (remaining_ == 0 && !last_) {
    return Fate::waits_for_tasks;
  } else {
    reply->range = grant(request);
    reply->last = last_ && remaining_ == 0 ? 1 : 0;
  }
  return Fate::answered;
}

/// Opens a round of the global master. False: its file cannot be used, see *reply.
bool TaskDistributor::open_with_file(const TaskRequest& request, TaskReply* reply) {
  std::vector<TaskRange> ranges{{0, request.total}};
  if (!request.file.empty()) {
    const bool relative = request.file.front() != '/' && !request.folder.empty();
    try {
      recorder_ = std::make_unique<TaskRecorder>(
          relative ? request.folder + "/" + request.file : request.file, request.total);
    } catch (const Error& error) {
      reply->state = TaskReply::State::file_refused;
      reply->text = error.what();
      return false;
    }
    ranges = recorder_->missing();
  }
  open(request, ranges, true);
  return true;
}

void TaskDistributor::open(const TaskRequest& request, const std::vector<TaskRange>& ranges, bool last) {
  round_ = request.round;
  total_ = request.total;
  file_ = request.file;
  open_ = true;
  ended_children_ = 0;
  ranges_.clear();
  remaining_ = 0;
  for (const TaskRange& range : ranges) {
    if (range.size() == 0) continue;
    ranges_.push_back(range);
    remaining_ += range.size();
  }
  last_batch_ = remaining_;
  last_ = last;
  to_grant_ = remaining_;
  opened_ns_ = now_ns();
}

TaskDistributor::Progress TaskDistributor::progress() {
  const std::lock_guard lock(mutex_);
  if (!open_) return {};
  return {round_, total_, total_ - to_grant_, to_grant_ - remaining_, opened_ns_};
}

TaskRange TaskDistributor::grant(const TaskRequest& request) {
  if (ranges_.empty()) return {};
  TaskRange& front = ranges_.front();
  const std::int64_t count = std::min(front.size(), batch(request));
  const TaskRange granted{front.first, front.first + count};
  front.first += count;
  remaining_ -= count;
  if (front.size() == 0) ranges_.pop_front();
  return granted;
}

std::int64_t TaskDistributor::batch(const TaskRequest& request) const noexcept {
  if (processes_ == 1) return remaining_;
  const std::int64_t least = std::max<std::int64_t>(1, request.wanted);
  if (above_ != nullptr) return std::max(least, last_batch_ / processes_);  // guided by the global master
  const std::int64_t callers = std::max<std::int64_t>(1, processes_ * request.workers);
  const std::int64_t each = std::min(remaining_ / (2 * callers), largest_batch);
  return std::max(least, each * request.processes);
}

/// Asks for tasks of the open round, or for the next one when none is open. Releases the lock.
void TaskDistributor::ask_above(std::unique_lock<std::mutex>& lock, const TaskRequest& wish) {
  asking_ = true;
  TaskRequest request = wish;
  request.processes = processes_;
  request.wanted = 0;
  for (const Waiting& waiting : waiting_) request.wanted += waiting.request.wanted;
  lock.unlock();
  above_->ask(request, [this, request](const TaskReply& reply) { above_answered(request, reply); });
}

void TaskDistributor::above_answered(const TaskRequest& asked, const TaskReply& reply) {
  std::unique_lock lock(mutex_);
  asking_ = false;
  std::vector<Due> due;
  if (reply.state != TaskReply::State::granted) {
    // Those who asked for the same are wrong too; others may be right and are tried next.
    std::vector<Waiting> others;
    for (Waiting& waiting : waiting_) {
      const bool same = waiting.request.round == asked.round && waiting.request.total == asked.total &&
                        waiting.request.file == asked.file;
      if (same) {
        due.push_back({std::move(waiting.answer), reply});
      } else {
        others.push_back(std::move(waiting));
      }
    }
    waiting_ = std::move(others);
  } else if (asked.round == round_) {
    if (reply.range.size() > 0) ranges_.push_back(reply.range);
    remaining_ += reply.range.size();
    last_batch_ = std::max<std::int64_t>(0, reply.range.size() - asked.wanted);
    last_ = reply.last != 0;
  } else {
    open(asked, {reply.range}, reply.last != 0);
  }
  advance(lock);
  for (const Due& one : due) one.answer(one.reply);
}

}  // namespace taihu::tasks
