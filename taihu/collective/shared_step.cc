// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/shared_step.h"

#include <sched.h>

#include <algorithm>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/prefetch.h"
#include "taihu/threads/cores.h"

namespace taihu::collective {

namespace {

// With a core for each rank a neighbour is there within a microsecond; looking at messages would only delay
// seeing it. With fewer cores the neighbour may need this one: giving the core away for a while costs much
// less than sleeping and being woken.
constexpr int polls_without_pause = 400;
constexpr std::size_t steps_per_half = 64;
constexpr int polls_with_data = 400;
constexpr int spins_with_core = 400;
constexpr int yields_when_crowded = 100;
constexpr int yields_per_progress = 8;
constexpr std::uint32_t yields_per_balance = 256;
// About as long as the others need to change places on their core.
constexpr int spins_for_other_cores = 250;

std::uint32_t digest(std::uint32_t history, const Announcement& call) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(call.bytes) * 0x9e3779b97f4a7c15u +
                             static_cast<std::uint64_t>(call.call) * 0x85ebca6b00000000u +
                             static_cast<std::uint32_t>(call.root);
  return (history ^ static_cast<std::uint32_t>(word >> 32) ^ static_cast<std::uint32_t>(word)) * 0x01000193u +
         1;
}

std::string rank_text(const GroupHandle& handle, int local) {
  const int member = handle.membership().local()[static_cast<std::size_t>(local)];
  return "rank " + std::to_string(handle.global_rank(member));
}

std::string describe(const GroupHandle& handle, const Announcement& call) {
  return describe(call, call.root >= 0 ? rank_text(handle, call.root).substr(5) : "",
                  call.reduction != 0 ? handle.reduction_text(call.reduction) : "");
}

// Data of one step take a piece of the ring that is not shared with those of the next: reading them, a
// processor fetches the lines behind them as well, while their member writes these.
std::size_t rounded_lines(std::size_t bytes, std::size_t half_lines) noexcept {
  const std::size_t lines = (bytes + sizeof(Board::Line) - 1) / sizeof(Board::Line);
  const std::size_t piece = std::max<std::size_t>(1, half_lines / steps_per_half);
  return (lines + piece - 1) / piece * piece;
}

}  // namespace

SharedStep::SharedStep(GroupHandle& handle, const Announcement& announcement)
    : handle_(handle),
      board_(handle.board()),
      own_(board_.own(handle.local_index())),
      step_(++own_.step),
      me_(handle.local_index()),
      slot_(&board_.slot(me_, step_)) {
  const StepNumber half = board_.half_depth();
  if ((step_ & (half - 1)) == 0) await_arrivals_at(step_ - half + Board::remembered_steps);
  board_.announcement(me_, step_) = announcement;
  own_.history = digest(own_.history, announcement);
  slot_->digest = own_.history;
  slot_->reduction = mine_.reduction = announcement.reduction;
  if constexpr (contracts_checked) board_.check_member(me_);
}

void SharedStep::expect_before_arrival() const noexcept {
  if constexpr (contracts_checked)
    expect(!board_.has_arrived(me_, step_), "what a member tells stands in its slot before it arrives");
}

void SharedStep::expect_after_arrival() const noexcept {
  if constexpr (contracts_checked)
    expect(board_.has_arrived(me_, step_), "a member arrives before it waits for others");
}

std::byte* SharedStep::place_inline(std::size_t bytes) {
  expect_before_arrival();
  if (bytes > slot_data_bytes) return place_with_length(bytes);
  mine_.form = Form::in_slot;
  mine_.data = slot_->data;
  return slot_->data;
}

std::byte* SharedStep::place_with_length(std::size_t bytes) {
  expect_before_arrival();
  expect(bytes <= board_.most_inline_bytes(), "bytes inline <= most inline bytes of the board");
  slot_->own.length = mine_.length = bytes;
  if (bytes <= slot_data_bytes_with_length) {
    mine_.form = Form::in_slot;
    mine_.data = slot_->data;
    return slot_->data;
  }
  std::byte* place = reserve(bytes);
  mine_.form = Form::copied;
  mine_.data = place;
  slot_->addresses = {place, nullptr};
  return place;
}

void SharedStep::publish(const void* source, void* result, std::size_t length) noexcept {
  expect_before_arrival();
  mine_.form = Form::published;
  mine_.data = static_cast<const std::byte*>(source);
  slot_->addresses = mine_.addresses = {source, result};
  slot_->own.length = mine_.length = length;
}

void SharedStep::arrive() noexcept {
  if (board_.crowded() && !board_.is_counted()) board_.sit(me_, sched_getcpu());
  board_.arrive(me_, step_, mine_.form);
}

// Data in the members' rings come together with the slots that say where they are, if they are there already.
void SharedStep::fetch_expected_data() noexcept {
  for (int k = 0; k < members(); ++k) {
    const std::byte* expected = own_.expected_of(k);
    if (k != me_ && expected != nullptr) prefetch_lines(expected, mine_.length);
  }
}

bool SharedStep::have_all_arrived() const noexcept {
  if (board_.is_counted()) return board_.have_all_arrived(step_);
  for (int k = 0; k < members(); ++k) {
    if (k != me_ && !board_.has_arrived(k, step_)) return false;
  }
  return true;
}

// Where a member with data in its ring puts its next ones, unless it goes on in the other half.
const std::byte* SharedStep::data_behind(const Slot& slot) const noexcept {
  const std::size_t lines = rounded_lines(slot.own.length, board_.data_half_lines());
  return static_cast<const std::byte*>(slot.addresses.source) + lines * sizeof(Board::Line);
}

void SharedStep::note_data() {
  const auto count = static_cast<std::size_t>(members());
  if (!own_.expected) own_.expected = std::make_unique<Board::ExpectedData[]>((count + 7) / 8);
  for (std::size_t k = 0; k < count; ++k) {
    const Slot& theirs = board_.slot(static_cast<int>(k), step_);
    if (static_cast<int>(k) == me_ || theirs.form() != Form::copied) continue;
    own_.expected_of(static_cast<int>(k)) = data_behind(theirs);
  }
}

std::byte* SharedStep::reserve(std::size_t bytes) {
  const std::size_t half_lines = board_.data_half_lines();
  const std::size_t lines = rounded_lines(bytes, half_lines);
  if (!own_.data) own_.data = std::make_unique_for_overwrite<Board::Line[]>(2 * half_lines);
  if (own_.used_lines + lines > half_lines) {
    own_.current_half ^= 1;
    own_.used_lines = 0;
    await_arrivals_at(own_.last_step[own_.current_half] + 1);
  }
  std::byte* place = own_.data[own_.current_half * half_lines + own_.used_lines].bytes;
  own_.used_lines += lines;
  own_.last_step[own_.current_half] = step_;
  return place;
}

// Polls briefly, then with the wish on the board.
template <class Ready>
void SharedStep::await(Board::Wish wish, int of_whom, StepNumber step, Ready&& ready) {
  if (ready()) return;
  if (board_.crowded()) {
    // Many that give their cores to each other would keep all of them awake.
    if (!board_.is_counted() && await_crowded(wish, step, ready)) return;
  } else {
    for (int k = polls_without_pause; k > 0; --k) {
      if (ready()) return;
    }
    for (int k = spins_with_core; k > 0; --k) {
      threads::spin_pause();
      if (ready()) return;
    }
  }
  board_.wish(me_, wish, of_whom, step);
  handle_.endpoint().wait_until(ready);
  board_.withdraw_wish(me_);
}

// To change places with another rank costs the system more than a microsecond. It is needed where a member
// that is behind has no other core; where all those have been here, the others are waited for.
template <class Ready>
bool SharedStep::await_crowded(Board::Wish wish, StepNumber step, Ready&& ready) {
  int spins = spins_for_other_cores;
  for (int yields = 0; yields < yields_when_crowded;) {
    if (spins > 0 && !is_core_wanted(wish, step)) {
      --spins;
      threads::spin_pause();
    } else {
      sched_yield();
      board_.sit(me_, sched_getcpu());
      if (++yields % yields_per_progress == 0) handle_.endpoint().progress();
      if (++own_.yields % yields_per_balance == 0) balance_cores();
    }
    if (ready()) return true;
  }
  return false;
}

// With three ranks on one core and one on another, every call waits for two changes of places instead of one,
// and the system, to which both cores look busy, leaves it so for tens of milliseconds. The last member on a
// core that has at least two more than another goes there. Only where all ranks of the node process are
// members; others would not be seen.
void SharedStep::balance_cores() noexcept {
  if (members() != handle_.endpoint().node().local_ranks()) return;
  const auto sitting_on = [&](int core) {
    int count = 0;
    for (int k = 0; k < members(); ++k) count += board_.seat(k) == core ? 1 : 0;
    return count;
  };
  const int here = sitting_on(own_.core);
  int target = -1;
  for (int k = 0; k < members(); ++k) {
    const int core = board_.seat(k);
    if (core == own_.core && k > me_) return;
    if (core >= 0 && sitting_on(core) <= here - 2) target = core;
  }
  if (target >= 0 && threads::move_to_core(target)) board_.sit(me_, target);
}

bool SharedStep::is_core_wanted(Board::Wish wish, StepNumber step) const noexcept {
  for (int k = 0; k < members(); ++k) {
    if (board_.seat(k) != own_.core) continue;
    const bool is_behind =
        wish == Board::Wish::departure_of_all ? !board_.has_departed(k, step) : !board_.has_arrived(k, step);
    if (is_behind) return true;
  }
  return false;
}

void SharedStep::await_arrivals_at(StepNumber step) {
  if (own_.known_arrived >= step) return;
  if (board_.is_counted()) [[unlikely]]
    return await_counted(step);
  int next = 0;
  const int count = members();
  await(Board::Wish::arrival_of_all, 0, step, [&] {
    while (next < count && (next == me_ || board_.has_arrived(next, step))) ++next;
    return next == count;
  });
  own_.known_arrived = step;
}

void SharedStep::await_counted(StepNumber step) {
  await(Board::Wish::arrival_of_all, 0, step, [&] { return board_.have_all_arrived(step); });
  own_.known_arrived = step;
}

int SharedStep::await_arrival(int member) {
  expect_after_arrival();
  if (board_.has_arrived(member, step_)) {
    // It is ahead of me: its next steps may be there as well.
    const Slot& theirs = board_.slot(member, step_);
    prefetch(&board_.slot(member, step_ + 3));
    if (theirs.form() == Form::copied) prefetch_lines(data_behind(theirs), theirs.own.length);
    return fits(member) || was_reported(member) ? M_SUCCESS : report(member);
  }
  await(Board::Wish::arrival_of_one, member, step_, [&] { return board_.has_arrived(member, step_); });
  return fits(member) || was_reported(member) ? M_SUCCESS : report(member);
}

int SharedStep::await_arrivals_up_to(int last_member) {
  for (int member = 0; member <= last_member; ++member) {
    const int code = member == me_ ? M_SUCCESS : await_arrival(member);
    if (code != M_SUCCESS) return code;
  }
  return M_SUCCESS;
}

int SharedStep::await_all_arrivals() {
  expect_after_arrival();
  const bool has_data_in_rings = mine_.form == Form::copied && !board_.crowded();
  if (has_data_in_rings && own_.expected) {
    for (int k = 0; k < polls_with_data; ++k) {
      if (k % 8 == 0) fetch_expected_data();
      if (have_all_arrived()) break;
    }
  }
  await_arrivals_at(step_);
  const int code = check_all();
  if (has_data_in_rings && code == M_SUCCESS) note_data();
  return code;
}

int SharedStep::depart_with_all() {
  depart();
  int next = 0;
  const int count = members();
  await(Board::Wish::departure_of_all, 0, step_, [&] {
    while (next < count && (next == me_ || board_.has_departed(next, step_))) ++next;
    return next == count;
  });
  return check_all();
}

void SharedStep::await_writers() {
  for (int member = 0; member < members(); ++member) {
    if (member == me_ || form_of(member) != Form::published) continue;
    if (!agree(board_.announcement(me_, step_), board_.announcement(member, step_))) continue;
    while (!board_.has_departed(member, step_)) {
      handle_.endpoint().progress();
      sched_yield();
    }
  }
}

bool SharedStep::fits(int member) const noexcept {
  const Slot& theirs = board_.slot(member, step_);
  return own_.history == theirs.digest &&
         (mine_.reduction == theirs.reduction || mine_.reduction == 0 || theirs.reduction == 0);
}

int SharedStep::check_all() {
  if (board_.is_counted() && mine_.reduction == 0 && board_.have_all_arrived(step_) &&
      board_.have_all_digest(step_, own_.history)) [[unlikely]] {
    return M_SUCCESS;
  }
  for (int member = 0; member < members(); ++member) {
    if (member != me_ && !fits(member)) return check_reported();
  }
  return M_SUCCESS;
}

// Somebody does not fit; that may be known.
int SharedStep::check_reported() {
  bool is_known = false;
  for (int member = 0; member < members(); ++member) {
    if (member == me_ || fits(member)) continue;
    if (!was_reported(member)) return report(member);
    is_known = true;
  }
  // All see here that the histories differ, and agree on a new one.
  if (is_known) own_.history = static_cast<std::uint32_t>(step_);
  return M_SUCCESS;
}

// Whether the calls differed before one that a member was told of, and fit together since then, as far as is
// remembered.
bool SharedStep::was_reported(int member) const noexcept {
  const StepNumber reported = board_.reported();
  if (reported == 0 || reported >= step_) return false;
  const StepNumber oldest = step_ - std::min(step_ - reported - 1, Board::remembered_steps - 1);
  for (StepNumber step = step_; step >= oldest; --step) {
    if (!agree(board_.announcement(me_, step), board_.announcement(member, step))) return false;
  }
  return true;
}

// Names the calls that do not fit: of this step, or of an earlier one in which nobody waited for the other.
// All who notice a step agree on the history from there on.
int SharedStep::report(int member) {
  StepNumber step = step_;
  const auto call_of = [&](int who) -> const Announcement& { return board_.announcement(who, step); };
  const StepNumber oldest = step_ - std::min(step_ - 1, Board::remembered_steps - 1);
  while (step > oldest && agree(call_of(me_), call_of(member))) --step;
  bool is_found = !agree(call_of(me_), call_of(member));
  if (!is_found) {
    // It is older; if somebody was told just now, that may be about the call of a third member.
    step = step_;
    for (int other = 0; other < members() && !is_found; ++other) {
      is_found = board_.has_arrived(other, step_) && !agree(call_of(me_), call_of(other));
      if (is_found) member = other;
    }
    const StepNumber reported = board_.reported();
    if (!is_found && reported != 0 && reported >= oldest) return M_SUCCESS;
  }
  const StepNumber ago = step_ - step;
  std::string text;
  if (!is_found) {
    text = rank_text(handle_, me_) + " and " + rank_text(handle_, member) +
           " made calls that differ, more than " + std::to_string(Board::remembered_steps - 1) +
           " calls before this " + call_text(call_of(me_).call);
  } else {
    const char* verb = ago == 0 ? " calls " : " called ";
    text = rank_text(handle_, me_) + verb + describe(handle_, call_of(me_)) + " while " +
           rank_text(handle_, member) + verb + describe(handle_, call_of(member));
    if (ago != 0) text += ", " + std::to_string(ago) + (ago == 1 ? " call ago" : " calls ago");
  }
  handle_.set_problem(text + "; all members must make the same call");
  own_.history = static_cast<std::uint32_t>(step_);
  board_.note_report(step_);
  depart();
  const bool is_length = is_found && differ_in_length_only(call_of(me_), call_of(member));
  return is_length ? M_ERROR_TRUNCATE : M_ERROR_ARGUMENT;
}

}  // namespace taihu::collective
