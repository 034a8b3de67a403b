// SPDX-License-Identifier: Apache-2.0
// Lines that a member asks for before it needs them: to write, those of its later slots; to read, those of
// data that come with the slots it looks for. Calls in which data go one way: shared_stream.cc.
#include "taihu/collective/prefetch.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective {

namespace {

constexpr int looks_with_data = 400;

}  // namespace

// Whoever read a slot a ring ago still has its line, and the first write would have to wait until it is taken
// away; stores behind it wait as well, 0.13 us in every call between far cores. The ways of several lines
// overlap. Asking for them (prefetchw) does nothing while this core has them, too. Nobody reads what is
// written here: all have arrived behind the steps that these slots had before.
void SharedStep::own_later_slots() noexcept {
  for (StepNumber later = step_ + 1; later < step_ + steps_owned_together; ++later) {
    board_.slot(me_, later).digest = 0;
    if (!mine_.is_step_data) continue;
    std::byte* const data = board_.step_data(me_, later);
    for (std::size_t offset = 0; offset < mine_.length; offset += sizeof(Board::Line))
      data[offset] = std::byte{0};
  }
}

// Looks for the slots, and with each look asks for the data: as long as their member has not written them
// this core has their lines, and nothing moves. Slot and data then come together.
void SharedStep::look_for_step_data() noexcept {
  const int count = members();
  int next = 0;
  for (int looks = looks_with_data; looks > 0; --looks) {
    while (next < count && (next == me_ || board_.has_arrived(next, step_))) ++next;
    if (next == count) return;
    for (int k = next; k < count; ++k) {
      if (k != me_) prefetch_lines(board_.step_data(k, step_), mine_.length);
    }
  }
}

// Data in the members' rings come together with the slots that say where they are, if they are there already.
void SharedStep::look_for_expected_data(std::size_t bytes) noexcept {
  for (int looks = 0; looks < looks_with_data && !have_all_arrived(); ++looks) {
    if (looks % 8 == 0) fetch_expected_data(bytes);
  }
}

void SharedStep::fetch_expected_data(std::size_t bytes) noexcept {
  for (int k = 0; k < members(); ++k) {
    const std::byte* expected = own_.expected_of(k);
    if (k != me_ && expected != nullptr) prefetch_lines(expected, bytes);
  }
}

// A member with data in its ring puts its next ones behind them, unless it goes on in the other half.
const std::byte* SharedStep::later_data(int member, StepNumber step) const noexcept {
  const Slot& theirs = board_.slot(member, step_);
  if (theirs.form() != Form::copied) return nullptr;
  const std::size_t lines = (step - step_) * board_.ring_lines(theirs.own.length);
  return static_cast<const std::byte*>(theirs.addresses.source) + lines * sizeof(Board::Line);
}

void SharedStep::note_data() {
  const auto count = static_cast<std::size_t>(members());
  if (!own_.expected) own_.expected = std::make_unique<Board::ExpectedData[]>((count + 7) / 8);
  for (std::size_t k = 0; k < count; ++k) {
    const int member = static_cast<int>(k);
    const std::byte* const next = member != me_ ? later_data(member, step_ + 1) : nullptr;
    if (next != nullptr) own_.expected_of(member) = next;
  }
}

}  // namespace taihu::collective
