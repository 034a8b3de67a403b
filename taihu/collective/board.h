// SPDX-License-Identifier: Apache-2.0
// Where the members of a group inside one node process meet. Every shared form of a collective is one step:
// each member announces its call, its buffers or (short data) the data themselves in a slot of its own, and
// signs its arrival; others then read the slot and, through it, the buffers; who has read buffers signs its
// departure.
//
// Slots form a ring per member. Whoever has arrived at a later step reads nothing of an earlier one, so slot
// s may be written again once all members have arrived at a step after s: with short data nobody waits for
// readers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "taihu/collective/roll_call.h"

namespace taihu::collective {

inline constexpr std::size_t inline_bytes = 1024;  ///< data up to this size travel in the slot
inline constexpr StepNumber slots_per_member = 8;

enum class Call : int { none, barrier, bcast, reduce, allreduce, gather, allgather, scatter, alltoall, scan };

/// What a member says about its call. The first four must agree among the members of a step.
struct Announcement {
  Call call = Call::none;
  int root = -1;  ///< local index, -1 where there is none
  std::size_t bytes = 0;
  std::uint32_t reduction = 0;
  const void* source = nullptr;
  void* result = nullptr;
};

/// Written by its member between the begin and the arrival of a step, read by others afterwards.
struct alignas(64) Slot {
  Announcement announcement;
  alignas(16) std::byte data[inline_bytes];
};

class Board {
 public:
  Board(const std::vector<threads::Doorbell*>& doorbells, bool crowded)
      : arrivals(doorbells, crowded),
        departures(doorbells, crowded),
        slots_(std::make_unique<Slot[]>(doorbells.size() * slots_per_member)) {}

  int members() const noexcept { return arrivals.members(); }
  Slot& slot(int member, StepNumber step) noexcept {
    return slots_[static_cast<std::size_t>(member) * slots_per_member + step % slots_per_member];
  }

  RollCall arrivals;
  RollCall departures;

 private:
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace taihu::collective
