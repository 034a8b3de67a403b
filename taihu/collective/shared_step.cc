// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/shared_step.h"

#include "taihu/abi/parallelc.h"

namespace taihu::collective {

namespace {

constexpr int spins_without_progress = 300;

// With a core for each rank a neighbour is there within a microsecond; looking at messages would only delay
// seeing it.
template <class Ready>
void await(GroupHandle& handle, Ready&& ready) {
  if (!handle.board().arrivals.crowded()) {
    for (int k = 0; k < spins_without_progress; ++k) {
      if (ready()) return;
      threads::spin_pause();
    }
  }
  handle.endpoint().wait_until(ready);
}

void await_arrivals_at(GroupHandle& handle, StepNumber step) {
  if (handle.known_arrived() >= step) return;
  const RollCall& arrivals = handle.board().arrivals;
  int next = 0;
  await(handle, [&] {
    while (next < arrivals.members() && arrivals.has_signed(next, step)) ++next;
    return next == arrivals.members();
  });
  handle.known_arrived() = step;
}

const char* call_text(Call call) {
  constexpr const char* texts[] = {"none",   "barrier",   "bcast",   "reduce",   "allreduce",
                                   "gather", "allgather", "scatter", "alltoall", "scan"};
  return texts[static_cast<int>(call)];
}

std::string describe(const GroupHandle& handle, const Announcement& call) {
  std::string text = call_text(call.call);
  if (call.root >= 0) {
    const auto member = handle.membership().local()[static_cast<std::size_t>(call.root)];
    text += " root " + std::to_string(handle.global_rank(member));
  }
  text += " of " + std::to_string(call.bytes) + " bytes";
  if (call.reduction != 0) {
    const std::uint32_t code = call.reduction - 1;
    text += " type " + std::to_string(code / 256) + " operation " + std::to_string(code % 256);
  }
  return text;
}

}  // namespace

SharedStep::SharedStep(GroupHandle& handle, const Announcement& announcement)
    : handle_(handle), board_(handle.board()), step_(handle.next_step()), me_(handle.local_index()) {
  if (step_ >= slots_per_member) await_arrivals_at(handle, step_ - slots_per_member + 1);
  board_.slot(me_, step_).announcement = announcement;
}

int SharedStep::await_arrival(int member) {
  await(handle_, [&] { return board_.arrivals.has_signed(member, step_); });
  const int code = check(member);
  if (code != M_SUCCESS) depart();
  return code;
}

int SharedStep::await_all_arrivals() {
  await_arrivals_at(handle_, step_);
  const int code = check_all();
  if (code != M_SUCCESS) depart();
  return code;
}

int SharedStep::depart_with_all() {
  depart();
  int next = 0;
  await(handle_, [&] {
    while (next < members() &&
           (board_.departures.has_signed(next, step_) || board_.arrivals.has_signed(next, step_ + 1))) {
      ++next;
    }
    return next == members();
  });
  return check_all();
}

int SharedStep::check(int member) {
  const Announcement& mine = announcement_of(me_);
  const Announcement& theirs = announcement_of(member);
  if (mine.call == theirs.call && mine.root == theirs.root && mine.bytes == theirs.bytes &&
      mine.reduction == theirs.reduction) {
    return M_SUCCESS;
  }
  const auto rank_of = [&](int local) {
    return std::to_string(handle_.global_rank(handle_.membership().local()[static_cast<std::size_t>(local)]));
  };
  handle_.set_problem("rank " + rank_of(me_) + " calls " + describe(handle_, mine) + " while rank " +
                      rank_of(member) + " calls " + describe(handle_, theirs) +
                      "; all members must make the same call");
  return M_ERROR_ARGUMENT;
}

int SharedStep::check_all() {
  for (int member = 0; member < members(); ++member) {
    const int code = check(member);
    if (code != M_SUCCESS) return code;
  }
  return M_SUCCESS;
}

}  // namespace taihu::collective
