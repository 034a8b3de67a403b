// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/roll_call.h"

#include <utility>

namespace taihu::collective {

RollCall::RollCall(std::vector<threads::Doorbell*> doorbells, bool crowded)
    : lines_(std::make_unique<Line[]>(doorbells.size())),
      doorbells_(std::move(doorbells)),
      crowded_(crowded) {}

void RollCall::sign(int member, StepNumber step, Notice notice) noexcept {
  std::atomic<StepNumber>& mine = lines_[static_cast<std::size_t>(member)].step;
  if (!crowded_) {
    mine.store(step, std::memory_order_release);
    ring_others(member);
    return;
  }
  mine.store(step, std::memory_order_seq_cst);
  if (notice == Notice::everyone || complete(step)) ring_others(member);
}

bool RollCall::complete(StepNumber step) const noexcept {
  for (std::size_t k = 0; k < doorbells_.size(); ++k) {
    if (lines_[k].step.load(std::memory_order_seq_cst) < step) return false;
  }
  return true;
}

void RollCall::ring_others(int member) noexcept {
  for (std::size_t k = 0; k < doorbells_.size(); ++k) {
    if (k != static_cast<std::size_t>(member)) doorbells_[k]->ring();
  }
}

}  // namespace taihu::collective
