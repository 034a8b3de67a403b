// SPDX-License-Identifier: Apache-2.0
// Who of the ranks of a node process has reached which step: one flag per rank, each on its own cache line
// and written by its rank only. Steps only grow, so a flag never has to be reset.
//
// A rank that waits sleeps on its doorbell. With a core for each rank every signer rings all doorbells (a
// load each, nobody sleeps). When ranks are more than cores ("crowded") that would wake every sleeper for
// every signer; then only the last signer rings: each signer first writes its flag and then reads all flags,
// both in the single total order of sequentially consistent operations, so the last one in that order sees
// them all.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "taihu/threads/waiting.h"

namespace taihu::collective {

/// Number of a step of the shared forms of a group; the first is 1.
using StepNumber = std::uint64_t;

/// Whom a signature concerns: everyone at once, or only those who wait for all signatures of the step.
enum class Notice { everyone, when_complete };

class RollCall {
 public:
  RollCall(std::vector<threads::Doorbell*> doorbells, bool crowded);

  /// What `member` wrote before is visible to whoever then sees the signature. Called by the rank itself.
  void sign(int member, StepNumber step, Notice notice) noexcept;

  bool has_signed(int member, StepNumber step) const noexcept {
    return lines_[static_cast<std::size_t>(member)].step.load(std::memory_order_acquire) >= step;
  }
  /// Last step signed by `member`.
  StepNumber last(int member) const noexcept {
    return lines_[static_cast<std::size_t>(member)].step.load(std::memory_order_acquire);
  }
  int members() const noexcept { return static_cast<int>(doorbells_.size()); }
  bool crowded() const noexcept { return crowded_; }

 private:
  struct alignas(64) Line {
    std::atomic<StepNumber> step{0};
  };

  bool complete(StepNumber step) const noexcept;
  void ring_others(int member) noexcept;

  std::unique_ptr<Line[]> lines_;
  std::vector<threads::Doorbell*> doorbells_;
  bool crowded_;
};

}  // namespace taihu::collective
