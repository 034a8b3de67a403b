// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/shared_step.h"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/copy.h"
#include "taihu/threads/cores.h"

namespace taihu::collective {

namespace {

// With a core for each rank a neighbour is there within a microsecond; looking at messages would only delay
// seeing it. With fewer cores the neighbour may need this one: giving the core away for a while costs much
// less than sleeping and being woken.
constexpr int polls_without_pause = 400;
constexpr int spins_with_core = 400;
constexpr int yields_when_crowded = 100;
constexpr int yields_per_progress = 8;
constexpr std::uint32_t yields_per_balance = 256;
// About as long as the others need to change places on their core.
constexpr int spins_for_other_cores = 250;

// Of a shorter block one core has copied a good part before the other has seen that it may help.
constexpr std::size_t least_helped_bytes = std::size_t{512} << 10;

}  // namespace

std::byte* SharedStep::place_with_length(std::size_t bytes) {
  expect_before_arrival();
  expect(bytes <= board_.most_inline_bytes(), "bytes inline <= most inline bytes of the board");
  mine_.length = bytes;
  if (bytes <= slot_data_bytes_with_length) {
    slot_->own.length = bytes;
    mine_.form = Form::in_slot;
    mine_.data = slot_->data;
    return slot_->data;
  }
  mine_.is_step_data = bytes <= board_.step_data_bytes() && board_.announcement(me_, step_).root < 0;
  std::byte* place = mine_.is_step_data ? board_.step_data(me_, step_) : reserve(bytes);
  mine_.form = Form::copied;
  mine_.data = place;
  mine_.addresses = {place, nullptr};
  mine_.has_addresses = true;
  return place;
}

void SharedStep::publish(const void* source, void* result, std::size_t length) noexcept {
  expect_before_arrival();
  mine_.form = Form::published;
  mine_.data = static_cast<const std::byte*>(source);
  mine_.addresses = {source, result};
  mine_.has_addresses = true;
  mine_.length = length;
}

void SharedStep::publish_table(const void* table, std::size_t bytes) noexcept {
  expect_before_arrival();
  mine_.form = Form::published;
  if (bytes <= slot_data_bytes)
    copy_block(slot_->data, table, bytes);
  else
    slot_->addresses = {table, nullptr};
}

void SharedStep::arrive_crowded() noexcept {
  if (!board_.is_counted()) board_.sit(me_, sched_getcpu());
  board_.arrive(me_, step_, mine_.form);
}

bool SharedStep::have_arrived(int first, int last, StepNumber step) const noexcept {
  for (int k = first; k <= last; ++k) {
    if (k != me_ && !board_.has_arrived(k, step)) return false;
  }
  return true;
}

bool SharedStep::have_all_arrived() const noexcept {
  return board_.is_counted() ? board_.have_all_arrived(step_) : have_arrived(0, members() - 1, step_);
}

std::byte* SharedStep::reserve(std::size_t bytes) {
  const std::size_t half_lines = board_.data_half_lines();
  const std::size_t lines = board_.ring_lines(bytes);
  if (!own_.data) own_.data = Board::new_data(2 * half_lines);
  if (own_.used_lines + lines > half_lines) {
    own_.current_half ^= 1;
    own_.used_lines = 0;
    await_arrivals_at(own_.last_step[own_.current_half] + 1);
  }
  const std::size_t first = own_.current_half * half_lines + own_.used_lines;
  if (first + lines > own_.lines_with_memory) [[unlikely]]
    give_memory(first + lines);
  own_.used_lines += lines;
  own_.last_step[own_.current_half] = step_;
  return own_.data[first].bytes;
}

// The ring is new memory, whose pages the system finds when they are first written: one at a time that costs
// more than the calls. So it is asked for as many as there are, and no ring has twice what it uses.
void SharedStep::give_memory(std::size_t lines) noexcept {
  const std::size_t all = 2 * board_.data_half_lines();
  const std::size_t wanted = std::min(all, std::max(lines, 2 * own_.lines_with_memory));
#ifdef MADV_POPULATE_WRITE
  constexpr std::size_t page_lines = Board::page_bytes / sizeof(Board::Line);
  const std::size_t begin = own_.lines_with_memory / page_lines * page_lines;
  // Where the system cannot, they come one by one.
  madvise(&own_.data[begin], (wanted - begin) * sizeof(Board::Line), MADV_POPULATE_WRITE);
#endif
  own_.lines_with_memory = wanted;
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

void SharedStep::await_others(StepNumber step) {
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
  if (mine_.is_step_data) look_for_step_data();
  return await_all(mine_.form == Form::copied && !mine_.is_step_data ? mine_.length : 0);
}

// `ring_bytes`: what to expect in the others' rings.
int SharedStep::await_all(std::size_t ring_bytes) {
  expect_after_arrival();
  const bool has_data_in_rings = ring_bytes != 0 && !board_.crowded();
  if (has_data_in_rings && own_.expected) look_for_expected_data(ring_bytes);
  await_arrivals_at(step_);
  const int code = check_all();
  if (has_data_in_rings && code == M_SUCCESS) note_data();
  return code;
}

template <class Meanwhile>
int SharedStep::depart_with_all(Meanwhile&& meanwhile) {
  depart();
  int next = 0;
  const int count = members();
  await(Board::Wish::departure_of_all, 0, step_, [&] {
    meanwhile();
    while (next < count && (next == me_ || board_.has_departed(next, step_))) ++next;
    return next == count;
  });
  return check_all();
}

int SharedStep::depart_with_all() {
  return depart_with_all([] {});
}

int SharedStep::depart_and_help() {
  return depart_with_all([this] { board_.help_wanted().help(); });
}

void SharedStep::copy_with_help(void* target, const void* source, std::size_t bytes) noexcept {
  if (bytes < least_helped_bytes || board_.crowded()) return copy_block(target, source, bytes);
  message::SharedCopy copy(target, source, bytes);
  board_.help_wanted().copy(copy);
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

}  // namespace taihu::collective
