// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_pool.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace taihu::tasks {
namespace {

std::string text(std::int64_t number) {
  return std::to_string(number);
}

}  // namespace

TaskPool::TaskPool(int first_rank, int ranks, int array_size, TaskSupplier& above, TaskSupplier& recorder,
                   std::int64_t deadline_ns)
    : first_rank_(first_rank),
      array_size_(array_size),
      above_(above),
      deadline_ns_(deadline_ns),
      slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(ranks * (array_size + 1)))),
      reports_(recorder, [this] { changed(); }),
      ranks_(static_cast<std::size_t>(ranks)) {}

std::int64_t TaskPool::untaken(std::int64_t round) {
  const Lock lock(mutex_);
  if (!open_ || round_ != round) return 0;
  return static_cast<std::int64_t>(ready_.load(std::memory_order_relaxed) >> count_shift) + behind_.size();
}

std::int64_t TaskPool::take_slowly(const Call& call) {
  if (call.total < 0 || call.total > largest_total) {
    *call.problem = "get_task_id of rank " + text(call.rank) + " asks for " + text(call.total) +
                    " tasks; pass a total between 0 and 2^47";
    return task_refused;
  }
  const Rank& rank = ranks_[static_cast<std::size_t>(call.rank - first_rank_)];
  Slot& slot = slot_of(call.rank, call.member);
  Lock lock(mutex_);
  for (;;) {
    if (!open_ || rank.ended || slot.ended.load(std::memory_order_relaxed) == round_) {
      if (!next_round(lock, call)) return task_refused;
      continue;
    }
    if (!join_round(call)) return task_refused;
    if (!file_.empty()) complete(slot);
    if (reports_.has_failed()) {
      *call.problem = reports_.problem();
      return task_refused;
    }
    if (is_late()) drop_tasks();
    const Taken taken = take_ready();
    if (taken.low && !asking_ && !last_ && behind_.size() == 0) ask_for_more(lock, 0);
    if (taken.id >= 0) {
      slot.task.store(taken.id, std::memory_order_relaxed);
      return taken.id;
    }
    if (behind_.size() > 0) {
      make_ready();
    } else if (out_of_step_) {
      *call.problem = "the task master refused a request of rank " + text(call.rank) +
                      " (its node process runs another program or version); run one program everywhere";
      return task_refused;
    } else if (last_) {
      wait_for_disk(lock, call.meanwhile);
      if (!reports_.has_failed()) return end_member(lock, call);
    } else if (!asking_) {
      ask_for_more(lock, hungry_ + 1);
    } else {
      ++hungry_;
      wait(lock, call.meanwhile);
      --hungry_;
    }
  }
}

/// Waits for the end of the current round or opens the next one, whichever is due. False: refused.
bool TaskPool::next_round(Lock& lock, const Call& call) {
  if (open_ || opening_) {
    const threads::Member* thread = threads::current_member();
    if (open_ && call.member != process_code && thread != nullptr) {
      wait_for_threads(lock, call, *thread->array);
    } else {
      wait(lock, call.meanwhile);
    }
    return true;
  }
  opening_ = true;
  struct Outcome {
    bool known = false;
    TaskReply reply;
  } outcome;
  const Kind kind = call.member == process_code ? Kind::process : Kind::kernel;
  TaskRequest wish = request(TaskRequest::Kind::take, round_ + 1, call.total, kind);
  wish.file = call.file;
  lock.unlock();
  std::error_code unknown;
  if (!wish.file.empty()) wish.folder = std::filesystem::current_path(unknown).string();
  above_.ask(wish, [this, &outcome](const TaskReply& reply) {
    const std::lock_guard guard(mutex_);
    outcome.reply = reply;
    outcome.known = true;
    changed();
  });
  lock.lock();
  while (!outcome.known) wait(lock, call.meanwhile);
  opening_ = false;
  changed();
  if (outcome.reply.state == TaskReply::State::granted) {
    callers_ = kind;
    file_ = call.file;
    begin_round(call.total, outcome.reply);
    return true;
  }
  if (outcome.reply.state == TaskReply::State::mismatch) {
    *call.problem = mismatch(call, outcome.reply.total, outcome.reply.text);
  } else if (outcome.reply.state == TaskReply::State::file_refused) {
    *call.problem = outcome.reply.text;
  } else {
    *call.problem = "the task master refused to open a round for rank " + text(call.rank) +
                    " (its node process runs another program or version); run one program everywhere";
  }
  return false;
}

std::string TaskPool::mismatch(const Call& call, std::int64_t total, const std::string& file) const {
  if (call.total != total)
    return "get_task_id of rank " + text(call.rank) + " asks for " + text(call.total) +
           " tasks, but the round is under way with " + text(total) + "; pass the same total on all members";
  const auto named = [](std::string_view name) {
    return name.empty() ? std::string("no checkpoint file") : "checkpoint file '" + std::string(name) + "'";
  };
  return "get_task_id of rank " + text(call.rank) + " gives " + named(call.file) +
         ", but the round is under way with " + named(file) + "; pass the same on all members";
}

/// Waits for a change, as a thread of a kernel that was told the end of the round; or ends the round for its
/// rank, when all threads that could still ask have returned.
void TaskPool::wait_for_threads(Lock& lock, const Call& call, threads::ThreadArray& array) {
  Rank& rank = ranks_[static_cast<std::size_t>(call.rank - first_rank_)];
  if (rank.ended || rank.kind != Kind::kernel) return wait(lock, call.meanwhile);
  const threads::ThreadArray::WatchReturns watch(array);
  const std::uint32_t seen = version_.load(std::memory_order_acquire);
  const std::int64_t round = round_.load(std::memory_order_relaxed);
  if (array.running() == ++rank.waiting_members) {
    end_rank(lock, rank, call.meanwhile);
  } else {
    wait(lock, call.meanwhile, seen);
  }
  if (round_.load(std::memory_order_relaxed) == round) --rank.waiting_members;
}

void TaskPool::begin_round(std::int64_t total, const TaskReply& reply) {
  for (Rank& rank : ranks_) rank = {.ended = false};
  ended_ranks_ = 0;
  open_ = true;
  reports_.begin_round(round_ + 1);
  total_ = total;
  last_ = reply.last != 0;
  dropped_ = false;
  behind_ = reply.range;
  make_ready();
  round_.store(round_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

/// Lets the caller take tasks of the open round, from now on without the mutex. False: refused.
bool TaskPool::join_round(const Call& call) {
  if (call.total != total_ || call.file != file_) {
    *call.problem = mismatch(call, total_, file_);
    return false;
  }
  Rank& rank = ranks_[static_cast<std::size_t>(call.rank - first_rank_)];
  const Kind kind = call.member == process_code ? Kind::process : Kind::kernel;
  if (rank.kind == Kind::none) rank.kind = kind;
  if (rank.kind != kind) {
    *call.problem = "get_task_id is called by process code and by a kernel of rank " + text(call.rank) +
                    " in the same round; call it from one of them until it returns -1";
    return false;
  }
  Slot& slot = slot_of(call.rank, call.member);
  // What it took in an earlier round and did not complete then is not of this one.
  if (slot.joined.load(std::memory_order_relaxed) != round_)
    slot.task.store(no_task, std::memory_order_relaxed);
  slot.total.store(total_, std::memory_order_relaxed);
  slot.joined.store(round_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return true;
}

/// Tells the caller the end of the round; the last member here tells the level above.
std::int64_t TaskPool::end_member(Lock& lock, const Call& call) {
  Slot& slot = slot_of(call.rank, call.member);
  slot.joined.store(-1, std::memory_order_relaxed);
  slot.ended.store(round_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  Rank& rank = ranks_[static_cast<std::size_t>(call.rank - first_rank_)];
  const int members = rank.kind == Kind::kernel ? array_size_ : 1;
  if (++rank.ended_members == 1 && members > 1) partly_ended_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t told = dropped_ ? too_late : no_task;
  if (rank.ended_members == members) end_rank(lock, rank, call.meanwhile);
  return told;
}

void TaskPool::end_for_others(int rank_of_job) {
  Lock lock(mutex_);
  Rank& rank = ranks_[static_cast<std::size_t>(rank_of_job - first_rank_)];
  if (open_ && !rank.ended && rank.kind == Kind::kernel && rank.ended_members > 0) end_rank(lock, rank, {});
}

/// Until what was completed here so far is on the disk.
void TaskPool::wait_for_disk(Lock& lock, threads::WhileWaiting meanwhile) {
  const std::uint64_t mark = reports_.all();
  for (;;) {
    // Answers come without the mutex: look at the version first.
    const std::uint32_t seen = version_.load(std::memory_order_acquire);
    if (reports_.recorded(mark)) return;
    wait(lock, meanwhile, seen);
  }
}

void TaskPool::finish() {
  Lock lock(mutex_);
  wait_for_disk(lock, {});
}

void TaskPool::end_rank(Lock& lock, Rank& rank, threads::WhileWaiting meanwhile) {
  rank.ended = true;
  if (rank.kind == Kind::kernel && array_size_ > 1) partly_ended_.fetch_sub(1, std::memory_order_relaxed);
  if (++ended_ranks_ != static_cast<int>(ranks_.size())) return;
  wait_for_disk(lock, meanwhile);  // of members that asked again and then returned
  // First say it above, then let a member ask for the next round: the order that TaskSupplier::ask demands.
  const TaskRequest end = request(TaskRequest::Kind::ended, round_, total_, rank.kind);
  lock.unlock();
  above_.ask(end, [](const TaskReply&) {});
  lock.lock();
  open_ = false;
  changed();
}

/// The deadline has passed: what lies here, is on its way or could still be asked for is nobody's.
void TaskPool::drop_tasks() {
  dropped_ = total_ > 0;  // whether others have taken all of them is not known here
  while (take_ready().id >= 0) continue;
  behind_ = {};
  if (!asking_) last_ = true;
}

void TaskPool::refill() {
  Lock lock(mutex_);
  if (open_ && !asking_ && !last_ && behind_.size() == 0) ask_for_more(lock, 0);
}

void TaskPool::ask_for_more(Lock& lock, std::int64_t wanted) {
  asking_ = true;
  TaskRequest wish = request(TaskRequest::Kind::take, round_, total_, callers_);
  wish.wanted = wanted;
  lock.unlock();
  above_.ask(wish, [this](const TaskReply& reply) { receive(reply); });
  lock.lock();
}

void TaskPool::receive(const TaskReply& reply) {
  const std::lock_guard guard(mutex_);
  asking_ = false;
  if (reply.state == TaskReply::State::granted) {
    behind_ = reply.range;  // empty so far: more is asked for only then
    last_ = reply.last != 0;
    if (ready_.load(std::memory_order_relaxed) >> count_shift == 0) make_ready();
  } else {
    out_of_step_ = true;
  }
  changed();
}

/// Moves ids from behind_ to ready_, whose count is 0.
void TaskPool::make_ready() {
  const std::int64_t count = std::min(behind_.size(), most_ready);
  // Near the end of a round come no more ids than members wait for: there it is better to wait a little than
  // to hoard a task.
  const std::int64_t spare = count - hungry_;
  const bool more_to_come = !last_ && count == behind_.size() && spare >= 2;
  low_water_.store(more_to_come ? static_cast<std::uint64_t>(spare / 2) : no_low_water,
                   std::memory_order_relaxed);
  ready_.store(static_cast<std::uint64_t>(count) << count_shift | static_cast<std::uint64_t>(behind_.first),
               std::memory_order_relaxed);
  behind_.first += count;
}

void TaskPool::wait(Lock& lock, threads::WhileWaiting meanwhile) {
  wait(lock, meanwhile, version_.load(std::memory_order_relaxed));
}

/// Until the version is not `seen` any more.
void TaskPool::wait(Lock& lock, threads::WhileWaiting meanwhile, std::uint32_t seen) {
  lock.unlock();
  doorbell_.wait([&] {
    if (version_.load(std::memory_order_acquire) != seen) return true;
    meanwhile();
    return false;
  });
  lock.lock();
}

/// Lets waiting members look again. What they look for changes with the mutex held, or
/// they looked at the version before (wait_for_threads, wait_for_disk).
void TaskPool::changed() {
  version_.fetch_add(1, std::memory_order_release);
  doorbell_.ring();
}

TaskRequest TaskPool::request(TaskRequest::Kind kind, std::int64_t round, std::int64_t total,
                              Kind callers) const noexcept {
  TaskRequest made;
  made.kind = kind;
  made.workers = static_cast<std::int64_t>(ranks_.size()) * (callers == Kind::kernel ? array_size_ : 1);
  made.round = round;
  made.total = total;
  made.file = file_;
  return made;
}

}  // namespace taihu::tasks
