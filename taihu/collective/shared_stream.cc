// SPDX-License-Identifier: Apache-2.0
// Calls in which data go one way, one behind the other: nobody waits for the takers, so writers may be many
// calls ahead. Then the ways of cache lines between the cores are all that calls share, and both sides ask
// for lines before they need them: writers for the data's places of later calls, which takers have read a
// ring ago (for slots see SharedStep::own_later_slots); takers for those that are likely to be written
// (stream_pace.h).
#include <algorithm>

#include "taihu/base/clock.h"
#include "taihu/collective/prefetch.h"
#include "taihu/collective/shared_step.h"
#include "taihu/message/rings/prefetch.h"

namespace taihu::collective {

namespace {

// All that is inline where each member has a core.
constexpr std::size_t most_owned_bytes = 8192;

// A taker waits for a step so far ahead, which a writer must be able to reach before the taker's next
// arrival.
constexpr StepNumber steps_together = 8;
constexpr StepNumber least_half_depth = 32;
// Several times what writers need for them, also between far cores.
constexpr std::int64_t most_time_given_ns = 3000;
// Each look may take a line away from its writer.
constexpr std::int64_t time_between_looks_ns = 100;

std::size_t lines_of(std::size_t bytes) noexcept {
  return (bytes + sizeof(Board::Line) - 1) / sizeof(Board::Line);
}

// So many steps ahead, where each has so many lines: about what a core can wait for at the same time.
StepNumber steps_asked_for(std::size_t lines) noexcept {
  return lines <= 4 ? 4 : lines <= 8 ? 2 : 1;
}

}  // namespace

void SharedStep::arrive_in_stream() noexcept {
  arrive();
  if (mine_.form == Form::copied && mine_.length <= most_owned_bytes) own_later_data();
}

// Of the next step, if it has as many bytes. Of a single line that came to nothing, for no known reason: a
// bcast of 64 bytes between far cores took 0.25 us, with two lines, as for 65 bytes, 0.15.
void SharedStep::own_later_data() noexcept {
  const std::size_t first = own_.current_half * board_.data_half_lines() + own_.used_lines;
  const std::size_t lines = std::max<std::size_t>(2, lines_of(mine_.length));
  const std::size_t end = std::min(first + lines, own_.lines_with_memory);
  for (std::size_t line = first; line < end; ++line) message::prefetch_to_write(&own_.data[line]);
}

// Whether the data are known to be there. As far as they are, those of the next steps are asked for. Where
// ranks share cores, the writers may need this one, and nobody waits for them here.
bool SharedStep::follow_stream(int first, int last, std::size_t bytes) noexcept {
  if (board_.half_depth() < least_half_depth) return false;
  StreamPace& pace = own_.pace;
  pace.begin(step_, first, last);
  if (!pace.is_known()) {
    if (!pace.looks_ahead()) return false;
    const StepNumber later = step_ + steps_together - 1;
    const bool at_once = have_arrived(first, last, later);
    if (!at_once && board_.crowded()) {
      pace.look_later();
      return false;
    }
    if (!at_once && !give_time(first, last, later)) {
      pace.wait_was_in_vain();
      return false;
    }
    pace.learn(later, at_once);
  }
  const std::size_t lines_of_step = bytes > slot_data_bytes ? 1 + lines_of(bytes) : 1;
  const StepNumber distance = steps_asked_for(lines_of_step * static_cast<std::size_t>(last - first + 1));
  ask_for_later(first, last, pace.steps_to_ask_for(distance));
  if (pace.nears_the_end(distance)) {
    const StepNumber next_look = pace.known() + steps_together;
    ask_for_later(first, last, {next_look, next_look});
  }
  return true;
}

bool SharedStep::give_time(int first, int last, StepNumber later) const noexcept {
  const std::int64_t begin = now_ns();
  for (std::int64_t looked = begin;;) {
    threads::spin_pause();
    const std::int64_t now = now_ns();
    if (now - looked < time_between_looks_ns) continue;
    if (have_arrived(first, last, later)) return true;
    if (now - begin > most_time_given_ns) return false;
    looked = now;
  }
}

void SharedStep::ask_for_later(int first, int last, const StreamPace::Steps& steps) const noexcept {
  for (StepNumber step = steps.first; step <= steps.last; ++step) {
    for (int k = first; k <= last; ++k) {
      if (k == me_) continue;
      prefetch(&board_.slot(k, step));
      const std::byte* const data = later_data(k, step);
      if (data != nullptr) prefetch_lines(data, length_of(k));
    }
  }
}

int SharedStep::await_data_of(int member, std::size_t bytes) {
  follow_stream(member, member, bytes);
  return await_arrival(member);
}

int SharedStep::await_data_up_to(int last_member, std::size_t bytes) {
  if (bytes <= slot_data_bytes) follow_stream(0, last_member, bytes);
  return await_arrivals_up_to(last_member);
}

int SharedStep::await_data_of_all(std::size_t bytes) {
  const int last = members() - 1;
  const bool is_known = follow_stream(0, last, bytes);
  return await_all(bytes > slot_data_bytes && !is_known ? bytes : 0);
}

}  // namespace taihu::collective
