// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/shared_step.h"

#include <sched.h>

#include <algorithm>

#include "taihu/abi/parallelc.h"

namespace taihu::collective {

namespace {

// With a core for each rank a neighbour is there within a microsecond; looking at messages would only delay
// seeing it. With fewer cores the neighbour may need this one: giving the core away for a while costs much
// less than sleeping and being woken.
constexpr int polls_without_pause = 40;
constexpr int spins_with_core = 400;
constexpr int spins_when_crowded = 4;
constexpr int yields_when_crowded = 100;
constexpr int yields_per_progress = 8;

std::uint32_t digest(std::uint32_t history, const Announcement& call) noexcept {
  const std::uint64_t word = static_cast<std::uint64_t>(call.bytes) * 0x9e3779b97f4a7c15u +
                             static_cast<std::uint64_t>(call.call) * 0x85ebca6b00000000u +
                             static_cast<std::uint32_t>(call.root);
  return (history ^ static_cast<std::uint32_t>(word >> 32) ^ static_cast<std::uint32_t>(word)) * 0x01000193u +
         1;
}

bool agree(const Announcement& a, const Announcement& b) noexcept {
  return a.call == b.call && a.root == b.root && a.bytes == b.bytes &&
         (a.reduction == b.reduction || a.reduction == 0 || b.reduction == 0);
}

const char* call_text(Call call) {
  constexpr const char* texts[] = {
      "none",     "barrier", "bcast",  "reduce",         "allreduce", "gather",     "allgather", "scatter",
      "alltoall", "scan",    "exscan", "reduce_scatter", "gatherv",   "allgatherv", "scatterv",  "alltoallv"};
  return texts[static_cast<int>(call)];
}

bool has_common_length(Call call) {
  return call < Call::gatherv && call != Call::barrier;
}

std::string rank_text(const GroupHandle& handle, int local) {
  const int member = handle.membership().local()[static_cast<std::size_t>(local)];
  return "rank " + std::to_string(handle.global_rank(member));
}

std::string describe(const GroupHandle& handle, const Announcement& call) {
  std::string text = call_text(call.call);
  if (call.root >= 0) text += " root " + rank_text(handle, call.root).substr(5);
  if (has_common_length(call.call)) text += " of " + std::to_string(call.bytes) + " bytes";
  if (call.reduction != 0) text += " " + handle.reduction_text(call.reduction);
  return text;
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
  slot_->announcement = announcement;
  slot_->history = own_.history;
  slot_->form = Form::nothing;
  own_.history = digest(own_.history, announcement);
}

std::byte* SharedStep::place_inline(std::size_t bytes) {
  if (bytes > slot_data_bytes) return place_with_length(bytes);
  slot_->form = Form::in_slot;
  return slot_->data;
}

std::byte* SharedStep::place_with_length(std::size_t bytes) {
  std::byte* place = reserve(bytes);
  slot_->form = Form::copied;
  slot_->addresses = {place, nullptr, bytes};
  return place;
}

void SharedStep::publish(const void* source, void* result, std::size_t length) noexcept {
  slot_->form = Form::published;
  slot_->addresses = {source, result, length};
}

std::byte* SharedStep::reserve(std::size_t bytes) {
  const std::size_t lines = (bytes + sizeof(Board::Line) - 1) / sizeof(Board::Line);
  const std::size_t half_lines = board_.data_half_lines();
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
  const bool crowded = board_.crowded();
  for (int k = crowded ? 0 : polls_without_pause; k > 0; --k) {
    if (ready()) return;
  }
  for (int k = crowded ? spins_when_crowded : spins_with_core; k > 0; --k) {
    threads::spin_pause();
    if (ready()) return;
  }
  for (int k = 1; crowded && k <= yields_when_crowded; ++k) {
    sched_yield();
    if (ready()) return;
    if (k % yields_per_progress == 0) handle_.endpoint().progress();
  }
  board_.wish(me_, wish, of_whom, step);
  handle_.endpoint().wait_until(ready);
  board_.withdraw_wish(me_);
}

void SharedStep::await_arrivals_at(StepNumber step) {
  if (own_.known_arrived >= step) return;
  int next = 0;
  const int count = members();
  await(Board::Wish::arrival_of_all, 0, step, [&] {
    while (next < count && board_.has_arrived(next, step)) ++next;
    return next == count;
  });
  own_.known_arrived = step;
}

int SharedStep::await_arrival(int member) {
  await(Board::Wish::arrival_of_one, member, step_, [&] { return board_.has_arrived(member, step_); });
  return fits(member) ? M_SUCCESS : report(member);
}

int SharedStep::await_all_arrivals() {
  await_arrivals_at(step_);
  return check_all();
}

int SharedStep::depart_with_all() {
  depart();
  int next = 0;
  const int count = members();
  await(Board::Wish::departure_of_all, 0, step_, [&] {
    while (next < count && board_.has_departed(next, step_)) ++next;
    return next == count;
  });
  return check_all();
}

bool SharedStep::fits(int member) const noexcept {
  const Slot& theirs = board_.slot(member, step_);
  return agree(slot_->announcement, theirs.announcement) && slot_->history == theirs.history;
}

int SharedStep::check_all() {
  for (int member = 0; member < members(); ++member) {
    if (!fits(member)) return report(member);
  }
  return M_SUCCESS;
}

// Names the calls that do not fit: of this step, or of an earlier one in which nobody waited for the other.
// All who notice a step agree on the history from there on.
int SharedStep::report(int member) {
  StepNumber step = step_;
  const auto call_of = [&](int who) -> const Announcement& { return board_.slot(who, step).announcement; };
  const StepNumber oldest = step_ - std::min(step_ - 1, Board::remembered_steps - 1);
  while (step > oldest && agree(call_of(me_), call_of(member))) --step;
  const bool is_found = !agree(call_of(me_), call_of(member));
  const StepNumber ago = step_ - step;
  std::string text;
  if (!is_found) {
    text = rank_text(handle_, me_) + " and " + rank_text(handle_, member) +
           " made calls that differ, more than " + std::to_string(Board::remembered_steps - 1) +
           " calls before this " + call_text(slot_->announcement.call);
  } else {
    const char* verb = ago == 0 ? " calls " : " called ";
    text = rank_text(handle_, me_) + verb + describe(handle_, call_of(me_)) + " while " +
           rank_text(handle_, member) + verb + describe(handle_, call_of(member));
    if (ago != 0) text += ", " + std::to_string(ago) + (ago == 1 ? " call ago" : " calls ago");
  }
  handle_.set_problem(text + "; all members must make the same call");
  own_.history = static_cast<std::uint32_t>(step_);
  depart();
  return M_ERROR_ARGUMENT;
}

}  // namespace taihu::collective
