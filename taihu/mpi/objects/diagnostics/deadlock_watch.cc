// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/deadlock_watch.h"

#include <string>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/errors/added_errors.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/node/source_lines.h"

namespace taihu::mpi {
namespace {

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
    case Waits::in_collective:
      if (const std::int64_t bytes = record.block_bytes.load(std::memory_order_relaxed); bytes > 0)
        text += " of " + std::to_string(bytes) + " bytes";
      text += ", on " + communicator_of(record, rank);
      break;
  }
  const std::string place = node::source_place(record.caller.load(std::memory_order_relaxed));
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

node::DeadlockWatch::Progress look_at(const std::vector<Rank*>& ranks) {
  node::DeadlockWatch::Progress progress;
  progress.all_wait = true;
  for (const Rank* rank : ranks) {
    bool waits = rank->phase == Rank::Phase::finished;
    bool computes = false;
    for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
      if (record->rank != rank->number() || !record->in_use) continue;
      progress.calls.push_back(record->calls);
      (record->name.load(std::memory_order_acquire) != nullptr ? waits : computes) = true;
    }
    if (rank->phase == Rank::Phase::finished) continue;
    if (!waits || computes) progress.all_wait = false;
  }
  return progress;
}

}  // namespace taihu::mpi
