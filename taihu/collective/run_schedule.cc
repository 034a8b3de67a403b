// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/run_schedule.h"

#include <algorithm>
#include <vector>

#include "taihu/collective/copy.h"

namespace taihu::collective {

namespace {

using schedule::Action;
using schedule::Buffer;
using schedule::Step;

constexpr int message_tag = 0;  // order per pair tells the messages of a group apart

class Runner {
 public:
  Runner(message::Endpoint& endpoint, message::Context context, std::span<const int> ranks,
         ScheduleMemory memory, std::byte* scratch, const Reduction& reduction)
      : endpoint_(endpoint),
        context_(context),
        ranks_(ranks),
        memory_(memory),
        scratch_(scratch),
        reduction_(reduction) {}

  int run(std::span<const Step> steps) {
    while (!steps.empty()) {
      std::size_t together = 0;
      while (together < steps.size() && is_transfer(steps[together]) &&
             steps[together].round == steps[0].round) {
        ++together;
      }
      if (together == 0) {
        run_local(steps[0]);
        together = 1;
      } else {
        run_transfers(steps.first(together));
      }
      steps = steps.subspan(together);
    }
    return code_;
  }

 private:
  static bool is_transfer(const Step& step) {
    return step.action == Action::send || step.action == Action::receive;
  }

  const std::byte* readable(Buffer buffer, std::size_t offset) const {
    if (buffer == Buffer::source) return at(memory_.source, static_cast<std::ptrdiff_t>(offset));
    return writable(buffer, offset);
  }
  std::byte* writable(Buffer buffer, std::size_t offset) const {
    void* base = buffer == Buffer::result ? memory_.result : scratch_;
    return at(base, static_cast<std::ptrdiff_t>(offset));
  }
  int rank(const Step& step) const { return ranks_[static_cast<std::size_t>(step.peer)]; }

  void run_local(const Step& step) {
    std::byte* target = writable(step.buffer, step.offset);
    const std::byte* operand = readable(step.operand_buffer, step.operand_offset);
    if (step.action == Action::copy) return copy_block(target, operand, step.bytes);
    combine(step.action, target, operand, step);
  }

  // An operation may write to its right operand only: what comes from later members is combined in the
  // scratch memory where it has arrived.
  void combine(Action action, std::byte* target, const std::byte* operand, const Step& step) {
    const std::size_t count = step.bytes / reduction_.element_bytes;
    if (action == Action::reduce_before) return reduction_(target, operand, target, count);
    std::byte* arrived = writable(step.operand_buffer, step.operand_offset);
    reduction_(arrived, target, arrived, count);
    copy_block(target, arrived, step.bytes);
  }

  // Receives are posted first, so that messages land in their places without a stop in between. Who has
  // failed sends empty messages: whoever depends on its data sees the error as well.
  void run_transfers(std::span<const Step> steps) {
    open_.clear();
    for (const Step& step : steps) {
      if (step.action != Action::receive) continue;
      open_.push_back(
          {endpoint_.irecv(rank(step), context_, message_tag, writable(step.buffer, step.offset), step.bytes),
           &step});
    }
    for (const Step& step : steps) {
      if (step.action != Action::send) continue;
      open_.push_back({endpoint_.isend(rank(step), context_, message_tag, readable(step.buffer, step.offset),
                                       code_ == M_SUCCESS ? step.bytes : 0),
                       &step});
    }
    for (const Transfer& transfer : open_) complete(transfer);
  }

  struct Transfer {
    message::Request* request;
    const Step* step;
  };

  void complete(const Transfer& transfer) {
    message::Status status;
    endpoint_.wait(transfer.request, &status);
    if (status.error != message::Error::none) code_ = static_cast<int>(status.error);
    if (transfer.step->action == Action::receive && status.bytes != transfer.step->bytes)
      code_ = M_ERROR_TRUNCATE;
  }

  message::Endpoint& endpoint_;
  message::Context context_;
  std::span<const int> ranks_;
  ScheduleMemory memory_;
  std::byte* scratch_;
  const Reduction& reduction_;
  std::vector<Transfer> open_;
  int code_ = M_SUCCESS;
};

}  // namespace

int run_schedule(const schedule::Program& program, message::Endpoint& endpoint, message::Context context,
                 std::span<const int> ranks, ScheduleMemory memory, Scratch& scratch,
                 const Reduction& reduction) {
  std::byte* scratch_memory = scratch.get(program.scratch_bytes);
  if (scratch_memory == nullptr) return M_ERROR_MEMORY;
  const int code = Runner(endpoint, context, ranks, memory, scratch_memory, reduction).run(program.steps);
  scratch.trim();
  return code;
}

}  // namespace taihu::collective
