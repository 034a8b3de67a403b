// SPDX-License-Identifier: Apache-2.0
// Whether the calls of the members of a step fit together, and what is told when they do not.
#include <algorithm>
#include <string>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective {

namespace {

std::string rank_text(const GroupHandle& handle, int local) {
  const int member = handle.membership().local()[static_cast<std::size_t>(local)];
  return "rank " + std::to_string(handle.global_rank(member));
}

std::string describe(const GroupHandle& handle, const Announcement& call) {
  return describe(call, call.root >= 0 ? rank_text(handle, call.root).substr(5) : "",
                  call.reduction != 0 ? handle.reduction_text(call.reduction) : "");
}

}  // namespace

void tell_lengths(GroupHandle& handle, const char* call, int from, std::size_t sent, int to,
                  const std::string& expected) {
  handle.set_problem(rank_text(handle, from) + " sends " + std::to_string(sent) + " bytes in " + call +
                     " to " + rank_text(handle, to) + ", which expects " + expected +
                     "; the counts of both must agree");
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
