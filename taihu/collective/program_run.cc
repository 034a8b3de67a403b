// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/program_run.h"

#include "taihu/base/contract.h"

namespace taihu::collective {

using schedule::Action;
using schedule::Step;

namespace {

constexpr std::size_t short_bytes = 1024;

}  // namespace

inline message::Space ProgramRun::space_for(const Step& step, bool is_empty) const noexcept {
  return is_empty ? message::Space{nullptr, 0} : memory_->space(step.buffer, step.offset, step.count);
}

inline void ProgramRun::note(const Transfer& transfer, const message::Status& status) noexcept {
  if (trouble_ != Trouble::none) return;
  if (status.error == message::Error::link) {
    trouble_ = Trouble::link;
    return;
  }
  const bool is_truncated = status.error == message::Error::truncated;
  if (!is_truncated && status.bytes >= transfer.expected_bytes) return;
  trouble_ = is_truncated ? Trouble::truncated : Trouble::short_message;
  sender_ = status.source;
  sent_bytes_ = status.bytes;
  expected_bytes_ = transfer.expected_bytes;
}

/// The only one of its round: the endpoint knows a shorter way for one that is waited for at once.
inline void ProgramRun::receive(const Step& step) {
  const message::Space space = space_for(step, trouble_ == Trouble::earlier);
  message::Status status;
  endpoint_.receive(step.peer, context_, tag_, space, &status);
  note({nullptr, space.bytes}, status);
}

void ProgramRun::start(const schedule::Program& program, ProgramMemory& memory, Trouble trouble) noexcept {
  expect(has_ended(), "a program starts again when it has ended");
  memory_ = &memory;
  steps_ = program.steps;
  trouble_ = trouble;
  sender_ = -1;
}

bool ProgramRun::advance() {
  for (;;) {
    while (!open_.empty()) {
      message::Status status;
      const Transfer transfer = open_.back();
      if (!endpoint_.test(transfer.request, &status)) return false;
      open_.pop_back();
      note(transfer, status);
    }
    if (steps_.empty()) return true;
    start_next(Waiting::no);
  }
}

void ProgramRun::wait() {
  for (run_short_ones(); !has_ended(); run_short_ones()) {
    for (const Transfer& transfer : open_) {
      message::Status status;
      endpoint_.wait(transfer.request, &status);
      note(transfer, status);
    }
    open_.clear();
    if (!steps_.empty()) start_next(Waiting::yes);
  }
}

inline void ProgramRun::run_local(const Step& step) {
  if (trouble_ == Trouble::earlier) return;
  const Trouble trouble = memory_->run_local(step);
  if (trouble_ == Trouble::none) trouble_ = trouble;
}

/// False, and nothing has happened, when the transfers of the round are others.
inline bool ProgramRun::exchange(const Step& first) {
  const auto goes_together = [&](std::size_t k) {
    return k < steps_.size() && steps_[k].is_transfer() && steps_[k].round == first.round;
  };
  const Step* const second = goes_together(1) ? &steps_[1] : nullptr;
  if (second != nullptr && (second->action == first.action || goes_together(2))) return false;
  const Step* const sent = first.action == Action::send ? &first : second;
  const Step* const received = first.action == Action::receive ? &first : second;
  if (sent != nullptr) {
    const message::Space space = space_for(*sent, trouble_ != Trouble::none);
    const auto flow = received != nullptr && received->peer == sent->peer ? message::Flow::both_ways
                                                                          : message::Flow::one_way;
    if (!endpoint_.send_at_once(sent->peer, context_, tag_, {space.address, space.bytes, space.layout}, flow))
      return false;
  }
  steps_ = steps_.subspan(second != nullptr ? 2 : 1);
  if (received != nullptr) receive(*received);
  return true;
}

/// What short programs consist of, without a list of transfers under way: local steps, and rounds of one send
/// that is complete at once, one receive, or both. Ends before others.
void ProgramRun::run_short_ones() {
  while (open_.empty() && !steps_.empty()) {
    if (const Step& first = steps_.front(); !first.is_transfer()) {
      steps_ = steps_.subspan(1);
      run_local(first);
    } else if (!exchange(first)) {
      return;
    }
  }
}

// Short messages are sent first, since others wait for them; of long ones receives are posted first, so that
// they land in their places without a stop in between.
void ProgramRun::start_next(Waiting waiting) {
  const Step& first = steps_.front();
  if (!first.is_transfer()) {
    steps_ = steps_.subspan(1);
    return run_local(first);
  }
  std::size_t together = 1;
  std::size_t receives = first.action == Action::receive ? 1 : 0;
  const Step* latest_receive = &first;
  for (; together < steps_.size() && steps_[together].is_transfer() && steps_[together].round == first.round;
       ++together) {
    if (steps_[together].action != Action::receive) continue;
    latest_receive = &steps_[together];
    ++receives;
  }
  const std::span<const Step> transfers = steps_.first(together);
  steps_ = steps_.subspan(together);
  open_.reserve(together);
  const bool is_short = space_for(first, trouble_ == Trouble::earlier).bytes <= short_bytes;
  if (is_short) start_all(Action::send, transfers, true);
  if (waiting == Waiting::yes && receives == 1 && (is_short || together == 1))
    receive(*latest_receive);
  else if (receives != 0)
    start_all(Action::receive, transfers, is_short);
  if (!is_short) start_all(Action::send, transfers, false);
}

void ProgramRun::start_all(Action action, std::span<const Step> transfers, bool short_ones) {
  for (const Step& step : transfers) {
    if (step.action != action) continue;
    if (action == Action::receive) {
      const message::Space space = space_for(step, trouble_ == Trouble::earlier);
      open_.push_back({endpoint_.irecv(step.peer, context_, tag_, space), space.bytes});
      continue;
    }
    const message::Space space = space_for(step, trouble_ != Trouble::none);
    const message::Data data{space.address, space.bytes, space.layout};
    if (short_ones && endpoint_.send_at_once(step.peer, context_, tag_, data)) continue;
    open_.push_back({endpoint_.isend(step.peer, context_, tag_, data, message::SendMode::standard), 0});
  }
}

std::string ProgramRun::length_problem() const {
  if (sender_ < 0) return memory_->length_problem();
  const std::string sender = "rank " + std::to_string(sender_);
  const std::string expected = std::to_string(expected_bytes_);
  return "rank " + std::to_string(endpoint_.rank()) +
         (sent_bytes_ != 0
              ? " got " + std::to_string(sent_bytes_) + " bytes from " + sender + ", but expects " + expected
              : " got no data from " + sender + ", but expects " + expected + " bytes (" + sender +
                    " passed another count or failed itself)") +
         "; the counts and datatypes of all members must fit together";
}

}  // namespace taihu::collective
