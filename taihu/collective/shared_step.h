// SPDX-License-Identifier: Apache-2.0
// One member's part in one step on the board (see board.h): begin, put down data, arrive, await others,
// depart.
#pragma once

#include "taihu/abi/parallelc.h"
#include "taihu/collective/board.h"
#include "taihu/collective/group.h"

namespace taihu::collective {

class SharedStep {
 public:
  /// Takes the next step and announces the call. Waits until the slot may be written, which is so unless this
  /// member is half a ring ahead of another.
  SharedStep(GroupHandle& handle, const Announcement& announcement);

  int me() const noexcept { return me_; }
  int members() const noexcept { return board_.members(); }

  /// My data for the others, one of these before `arrive`: room for `bytes` (at most the board's
  /// most_inline_bytes), where they stay when the call has returned; or my buffers, which must stay until all
  /// who read them have departed.
  std::byte* place_inline(std::size_t bytes);
  std::byte* place_with_length(std::size_t bytes);  ///< and tells the others how many these are
  void publish(const void* source, void* result, std::size_t length = 0) noexcept;
  /// As publish, a table of places: a copy in the slot when it fits there, else the table itself, which must
  /// stay like the buffers.
  void publish_table(const void* table, std::size_t bytes) noexcept;

  [[gnu::always_inline]] void arrive() noexcept {
    tell();
    if (board_.crowded()) [[unlikely]]
      return arrive_crowded();
    board_.arrive(me_, step_, mine_.form);
    if (step_ % steps_owned_together == 0) own_later_slots();
  }
  /// As arrive, for one who waits for nobody: makes the place of the next data its own.
  void arrive_in_stream() noexcept;
  void depart() noexcept { board_.depart(me_, step_); }

  /// My data are at `source` as well, until the end of the step. What is on the board I then leave to the
  /// others: a line that another core has fetched is slow to read even for its writer.
  void keep(const void* source) noexcept { mine_.data = static_cast<const std::byte*>(source); }

  /// Valid after the member's arrival was awaited.
  Form form_of(int member) const noexcept {
    return member == me_ ? mine_.form : board_.slot(member, step_).form();
  }
  /// What was told with the data.
  std::size_t length_of(int member) const noexcept {
    return member == me_ ? mine_.length : board_.slot(member, step_).own.length;
  }
  const std::byte* source_of(int member) const noexcept {
    if (member == me_) return mine_.data;
    const Slot& slot = board_.slot(member, step_);
    return slot.form() == Form::in_slot ? slot.data : static_cast<const std::byte*>(slot.addresses.source);
  }
  /// Not with data in the slot.
  const Addresses& addresses_of(int member) const noexcept {
    return member == me_ ? mine_.addresses : board_.slot(member, step_).addresses;
  }

  /// Of another member that has published a table of `bytes`.
  const void* table_of(int member, std::size_t bytes) const noexcept {
    const Slot& slot = board_.slot(member, step_);
    return bytes <= slot_data_bytes ? slot.data : slot.addresses.source;
  }

  /// These wait, making progress for messages meanwhile, then compare the others' announcements with mine.
  /// When one does not fit, they describe it in the handle, sign my departure so that nobody waits for me,
  /// and return M_ERROR_ARGUMENT: the caller touches no buffer and returns.
  int await_arrival(int member);
  int await_arrivals_up_to(int last_member);
  int await_all_arrivals();
  /// The same for one who only takes data from others, about `bytes` each: they do not wait for it and may be
  /// calls ahead (shared_stream.cc).
  int await_data_of(int member, std::size_t bytes);
  int await_data_up_to(int last_member, std::size_t bytes);
  int await_data_of_all(std::size_t bytes);
  /// Signs my departure and waits until everyone has departed: my buffers have been used.
  int depart_with_all();
  /// The same, and meanwhile takes part in copies that others make by copy_with_help.
  int depart_and_help();
  /// Copies from the buffer of a member that waits by depart_and_help: long data from both ends.
  void copy_with_help(void* target, const void* source, std::size_t bytes) noexcept;
  /// Instead, on a root into whose buffer members copy long blocks themselves, when await_all_arrivals has
  /// failed: waits until those whose calls fit have done so, since the buffer is the caller's again then.
  void await_writers();

 private:
  void expect_before_arrival() const noexcept;
  void expect_after_arrival() const noexcept;
  void arrive_crowded() noexcept;
  void await_arrivals_at(StepNumber step) {
    if (own_.known_arrived < step) await_others(step);
  }
  void await_others(StepNumber step);
  int await_all(std::size_t ring_bytes);
  template <class Meanwhile>
  int depart_with_all(Meanwhile&& meanwhile);
  void look_for_expected_data(std::size_t bytes) noexcept;
  void fetch_expected_data(std::size_t bytes) noexcept;
  void look_for_step_data() noexcept;
  bool have_arrived(int first, int last, StepNumber step) const noexcept;
  bool have_all_arrived() const noexcept;
  bool follow_stream(int first, int last, std::size_t bytes) noexcept;
  bool give_time(int first, int last, StepNumber later) const noexcept;
  void ask_for_later(int first, int last, const StreamPace::Steps& steps) const noexcept;
  const std::byte* later_data(int member, StepNumber step) const noexcept;
  void tell() noexcept;
  void own_later_slots() noexcept;
  void own_later_data() noexcept;
  void note_data();
  std::byte* reserve(std::size_t bytes);
  [[gnu::noinline]] void give_memory(std::size_t lines) noexcept;
  template <class Ready>
  void await(Board::Wish wish, int of_whom, StepNumber step, Ready&& ready);
  template <class Ready>
  bool await_crowded(Board::Wish wish, StepNumber step, Ready&& ready);
  void balance_cores() noexcept;
  bool is_core_wanted(Board::Wish wish, StepNumber step) const noexcept;
  bool fits(int member) const noexcept {
    const Slot& theirs = board_.slot(member, step_);
    return own_.history == theirs.digest &&
           (mine_.reduction == theirs.reduction || mine_.reduction == 0 || theirs.reduction == 0);
  }
  bool was_reported(int member) const noexcept;
  int check_all();
  [[gnu::noinline]] int check_reported();
  [[gnu::noinline]] void await_counted(StepNumber step);
  int report(int member);

  /// Slots of so many steps become a member's own at the same time. They lie in one half of its ring, which
  /// has no fewer.
  static constexpr StepNumber steps_owned_together = 8;
  static_assert(Board::least_depth / 2 % steps_owned_together == 0);

  GroupHandle& handle_;
  Board& board_;
  Board::Own& own_;
  StepNumber step_;
  int me_;
  Slot* slot_;
  struct Mine {
    Form form = Form::nothing;
    const std::byte* data = nullptr;
    Addresses addresses{};
    bool has_addresses = false;  ///< to tell with the length
    bool is_step_data = false;   ///< see Board::step_data
    std::size_t length = 0;
    std::uint32_t reduction = 0;
  } mine_;  ///< what is in my slot, or will be when I arrive
};

// What each short call goes through is here, for its form to have it inline: calls in between cost it a tenth
// of its instructions.

namespace detail {
inline std::uint32_t digest(std::uint32_t history, const Announcement& call) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(call.bytes) * 0x9e3779b97f4a7c15u +
                             static_cast<std::uint64_t>(call.call) * 0x85ebca6b00000000u +
                             static_cast<std::uint32_t>(call.root);
  return (history ^ static_cast<std::uint32_t>(word >> 32) ^ static_cast<std::uint32_t>(word)) * 0x01000193u +
         1;
}
}  // namespace detail

[[gnu::always_inline]] inline SharedStep::SharedStep(GroupHandle& handle, const Announcement& announcement)
    : handle_(handle),
      board_(handle.board()),
      own_(board_.own(handle.local_index())),
      step_(++own_.step),
      me_(handle.local_index()),
      slot_(&board_.slot(me_, step_)) {
  const StepNumber half = board_.half_depth();
  if ((step_ & (half - 1)) == 0) [[unlikely]]
    await_arrivals_at(step_ - half + Board::remembered_steps);
  board_.announcement(me_, step_) = announcement;
  own_.history = detail::digest(own_.history, announcement);
  mine_.reduction = announcement.reduction;
  if constexpr (contracts_checked) board_.check_member(me_);
}

inline void SharedStep::expect_before_arrival() const noexcept {
  if constexpr (contracts_checked)
    expect(!board_.has_arrived(me_, step_), "what a member tells stands in its slot before it arrives");
}

inline void SharedStep::expect_after_arrival() const noexcept {
  if constexpr (contracts_checked)
    expect(board_.has_arrived(me_, step_), "a member arrives before it waits for others");
}

[[gnu::always_inline]] inline std::byte* SharedStep::place_inline(std::size_t bytes) {
  expect_before_arrival();
  if (bytes > slot_data_bytes) return place_with_length(bytes);
  mine_.form = Form::in_slot;
  mine_.data = slot_->data;
  return slot_->data;
}

// A line that others look at is written at once: they would take it away between its stores, above all while
// those to other lines wait. Between far cores that cost 0.2 us in each call with data in a ring.
[[gnu::always_inline]] inline void SharedStep::tell() noexcept {
  slot_->digest = own_.history;
  slot_->reduction = mine_.reduction;
  if (!mine_.has_addresses) return;
  slot_->addresses = mine_.addresses;
  slot_->own.length = mine_.length;
}

[[gnu::always_inline]] inline int SharedStep::check_all() {
  if (board_.is_counted()) [[unlikely]] {
    if (mine_.reduction == 0 && board_.have_all_arrived(step_) && board_.have_all_digest(step_, own_.history))
      return M_SUCCESS;
  }
  for (int member = 0; member < members(); ++member) {
    if (member != me_ && !fits(member)) return check_reported();
  }
  return M_SUCCESS;
}

}  // namespace taihu::collective
