// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/deadlock_watch.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/diagnostics/source_lines.h"
#include "taihu/mpi/objects/errors/added_errors.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {
namespace {

/// Looks so often during the timeout.
constexpr int looks = 8;
/// Time for all node processes to print before the job ends.
constexpr std::chrono::milliseconds time_to_print{1500};

std::string communicator_of(const CallRecord& record, Rank& rank) {
  const std::uint64_t context = record.context.load(std::memory_order_relaxed);
  if (context == rank.world().context) return "MPI_COMM_WORLD";
  if (context == rank.self().context) return "MPI_COMM_SELF";
  return "a communicator of " + std::to_string(record.members.load(std::memory_order_relaxed)) + " ranks";
}

std::string describe(const CallRecord& record, Rank& rank) {
  const char* const name = record.name.load(std::memory_order_acquire);
  if (name == nullptr) return {};
  std::string text = "taihu: rank " + std::to_string(rank.number()) + " waits in " + name;
  const int peer = record.peer.load(std::memory_order_relaxed);
  const int tag = record.tag.load(std::memory_order_relaxed);
  switch (record.waits.load(std::memory_order_relaxed)) {
    case Waits::unknown:
      break;
    case Waits::for_rank:
      text += peer == message::any_rank ? " for any rank" : " for rank " + std::to_string(peer);
      text += tag >= 0 ? ", tag " + std::to_string(tag) : ", any tag";
      text += ", on " + communicator_of(record, rank);
      break;
    case Waits::for_members:
      text += " for the other ranks of " + communicator_of(record, rank);
      break;
  }
  const std::string place = source_place(record.caller.load(std::memory_order_relaxed));
  if (!place.empty()) text += ", at " + place;
  return text + "\n";
}

}  // namespace

std::string waiting_ranks(const std::vector<Rank*>& ranks) {
  std::string text;
  for (Rank* rank : ranks) {
    // A rank that was refused a collective is whom the others may wait for.
    if (const std::string failure = AddedErrors::of(*rank).last_told.get(); !failure.empty())
      text += "taihu: rank " + std::to_string(rank->number()) + " was told before: " + failure + "\n";
    if (rank->phase == Rank::Phase::finished) {
      text += "taihu: rank " + std::to_string(rank->number()) + " has called MPI_Finalize\n";
      continue;
    }
    for (CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
      if (record->rank == rank->number() && record->in_use) text += describe(*record, *rank);
    }
  }
  return text;
}

DeadlockWatch::DeadlockWatch(message::Node& node, std::vector<Rank*> ranks, double timeout_seconds)
    : node_(node),
      ranks_(std::move(ranks)),
      timeout_(timeout_seconds),
      stuck_(static_cast<std::size_t>(node.layout().processes)) {
  node_.serve(message::Service::watch,
              [this](std::shared_ptr<message::ServiceCall> call) { serve(std::move(call)); });
  thread_ = std::thread([this] { watch(); });
}

DeadlockWatch::~DeadlockWatch() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_all();
  thread_.join();
}

DeadlockWatch::Progress DeadlockWatch::look() const {
  Progress progress;
  progress.all_inside = true;
  for (const Rank* rank : ranks_) {
    bool waits = rank->phase == Rank::Phase::finished;
    bool computes = false;
    for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
      if (record->rank != rank->number() || !record->in_use) continue;
      progress.calls.push_back(record->calls);
      (record->name.load(std::memory_order_acquire) != nullptr ? waits : computes) = true;
    }
    if (rank->phase == Rank::Phase::finished) continue;
    if (!waits || computes) progress.all_inside = false;
  }
  return progress;
}

/// On process 0: notes the state of a process; the answer tells whether the whole job is stuck.
void DeadlockWatch::serve(std::shared_ptr<message::ServiceCall> call) {
  struct {
    int process;
    int stuck;
  } state;
  std::memcpy(&state, call->arguments().data(), sizeof state);
  char all = 1;
  {
    const std::lock_guard hold(stuck_mutex_);
    stuck_[static_cast<std::size_t>(state.process)] = state.stuck != 0;
    for (const bool stuck : stuck_) all = all != 0 && stuck ? 1 : 0;
  }
  call->answer(&all, 1);
}

bool DeadlockWatch::job_is_stuck(bool stuck_here) {
  const struct {
    int process;
    int stuck;
  } state{node_.process(), stuck_here ? 1 : 0};
  const std::vector<std::byte> answer = node_.call(0, message::Service::watch, &state, sizeof state);
  return !answer.empty() && answer[0] != std::byte{0};
}

void DeadlockWatch::watch() {
  using Clock = std::chrono::steady_clock;
  Progress last;
  Clock::time_point unchanged_since = Clock::now();
  bool told_stuck = false;
  std::unique_lock hold(mutex_);
  while (!stop_requested_.wait_for(hold, timeout_ / looks, [this] { return stop_; })) {
    hold.unlock();
    Progress now = look();
    if (!now.all_inside || now != last) unchanged_since = Clock::now();
    last = std::move(now);
    const bool stuck = Clock::now() - unchanged_since >= timeout_;
    if (stuck || told_stuck) {
      told_stuck = stuck;
      if (job_is_stuck(stuck)) {
        char head[96];
        std::snprintf(head, sizeof head, "taihu: deadlock: no rank has gone on for %g s\n", timeout_.count());
        const std::string text = (node_.process() == 0 ? head : "") + waiting_ranks(ranks_);
        std::fputs(text.c_str(), stderr);
        if (node_.process() != 0) return;  // process 0 ends the job when all have seen the answer
        std::this_thread::sleep_for(timeout_ / looks + time_to_print);
        node_.abort(1);
      }
    }
    hold.lock();
  }
}

}  // namespace taihu::mpi
