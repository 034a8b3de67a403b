// SPDX-License-Identifier: Apache-2.0
// Groups look at themselves: who is where, and the board on which the members of a node process meet. In
// builds without contracts nothing here does anything.
#include <algorithm>

#include "taihu/base/contract.h"
#include "taihu/collective/board.h"
#include "taihu/collective/membership.h"

namespace taihu::collective {

/// members_of[process[m]][local_index[m]] == m for all members, and each of these places is one member's.
void Membership::check_invariants() const {
  ensure(process.size() == ranks.size() && local_index.size() == ranks.size(),
         "every member has a process and a place in it");
  std::size_t places = 0;
  int next = 0;
  bool is_consecutive = true;
  for (const std::vector<int>& neighbours : members_of) {
    ensure(!neighbours.empty() && std::ranges::is_sorted(neighbours), "members of a process grow");
    places += neighbours.size();
    for (const int member : neighbours) is_consecutive &= member == next++;
  }
  ensure(places == ranks.size(), "members of all processes == members");
  ensure(is_consecutive == consecutive, "consecutive == the members of all processes are 0, 1, 2, ...");
  for (int member = 0; member < members(); ++member) {
    const auto m = static_cast<std::size_t>(member);
    const std::vector<int>& neighbours = members_of[static_cast<std::size_t>(process[m])];
    ensure(static_cast<std::size_t>(local_index[m]) < neighbours.size() &&
               neighbours[static_cast<std::size_t>(local_index[m])] == member,
           "members_of[process[m]][local_index[m]] == m");
  }
  ensure(here >= -1 && here < processes(), "-1 <= this process < processes");
}

/// A member is less than a ring ahead of all, so no slot is written that somebody still reads; its slots hold
/// steps that belong there, none that it has not begun; it has departed from none at which it had not
/// arrived; and it waits for nothing.
void Board::check_member(int member) const {
  const Own& mine = own(member);
  ensure(mine.known_arrived <= mine.step && mine.step + remembered_steps < mine.known_arrived + depth_,
         "step that all have reached <= step < step that all have reached + depth - remembered steps");
  for (int k = 0; k < members(); ++k)
    ensure(k == member || mine.known_arrived == 0 || has_arrived(k, mine.known_arrived),
           "all have arrived at the step that all are known to have reached");
  StepNumber latest = 0;
  for (StepNumber place = 0; place < depth_; ++place) {
    const StepNumber step = slot(member, place).step(std::memory_order_relaxed);
    ensure(step <= mine.step && (step == 0 || (step & (depth_ - 1)) == place),
           "step of a slot == place of the slot (mod depth), <= step of its member");
    latest = std::max(latest, step);
  }
  const auto me = static_cast<std::size_t>(member);
  ensure(departures_[me].step.load(std::memory_order_relaxed) <= latest,
         "step departed from <= step arrived at");
  ensure(wishes_[me].load(std::memory_order_relaxed) == 0, "who does not wait has no wish");
  ensure(mine.used_lines <= data_half_lines_, "lines used <= lines of half the ring");
  ensure(mine.lines_with_memory <= 2 * data_half_lines_, "lines with memory <= lines of the ring");
  ensure(std::max(mine.last_step[0], mine.last_step[1]) <= mine.step, "latest step with data <= step");
}

/// And nobody is waited for.
void Board::check_invariants() const {
  for (int member = 0; member < members(); ++member) check_member(member);
  if (!is_counted()) return;
  for (int member = 0; member < members(); ++member)
    ensure(watchers_[static_cast<std::size_t>(member)].load(std::memory_order_relaxed) == 0,
           "wishes for the arrival of one == 0");
  ensure(departure_wishes_.load(std::memory_order_relaxed) == 0, "wishes for the departure of all == 0");
}

}  // namespace taihu::collective
