// SPDX-License-Identifier: Apache-2.0
// One member's part in one step on the board (see board.h): begin, arrive, await others, depart.
#pragma once

#include "taihu/collective/group.h"

namespace taihu::collective {

class SharedStep {
 public:
  /// Takes the next step and announces the call. Waits until the slot may be written, which is so unless this
  /// member is slots_per_member - 1 calls ahead of another.
  SharedStep(GroupHandle& handle, const Announcement& announcement);

  int me() const noexcept { return me_; }
  int members() const noexcept { return board_.members(); }
  /// My data for the others; write before `arrive`.
  std::byte* my_data() noexcept { return board_.slot(me_, step_).data; }
  /// Valid after the member's arrival was awaited.
  const Announcement& announcement_of(int member) noexcept { return board_.slot(member, step_).announcement; }
  const std::byte* data_of(int member) noexcept { return board_.slot(member, step_).data; }

  void arrive(Notice notice) noexcept { board_.arrivals.sign(me_, step_, notice); }
  void depart() noexcept { board_.departures.sign(me_, step_, Notice::when_complete); }

  /// These wait, making progress for messages meanwhile, then compare the others' announcements with mine.
  /// When one does not fit, they describe it in the handle, sign my departure so that nobody waits for me,
  /// and return M_ERROR_ARGUMENT: the caller touches no buffer and returns.
  int await_arrival(int member);
  int await_all_arrivals();
  /// Signs my departure and waits until everyone has departed: my buffers have been used.
  int depart_with_all();

 private:
  int check(int member);
  int check_all();

  GroupHandle& handle_;
  Board& board_;
  StepNumber step_;
  int me_;
};

}  // namespace taihu::collective
