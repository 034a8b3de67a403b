// SPDX-License-Identifier: Apache-2.0
// Runs the programs of all members in one thread on byte buffers (a unit is a byte): the slow, obvious
// meaning of a schedule, and its proof reader. Transfers are taken as synchronous (a send ends when its
// receive has been posted), the strictest reading.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "taihu/schedule/step.h"

namespace taihu::schedule {

struct MemberMemory {
  std::vector<std::byte> source;
  std::vector<std::byte> result;
};

/// target = operand (op) target on `bytes` bytes that are apart.
using Combine = std::function<void(std::byte* target, const std::byte* operand, std::size_t bytes)>;

/// What member `member` does in a step of the action `work`, on the memory that the caller knows.
using Work = std::function<void(std::size_t member)>;

struct SimulationResult {
  std::string problem;       ///< empty when the schedule is sound; else what is wrong, with member and step
  std::size_t messages = 0;  ///< non-empty and empty ones
  std::size_t message_bytes = 0;
};

/// Problems found: deadlock, transfers left without a partner, lengths that differ, ranges outside a buffer,
/// writes to `source`, overlap of a receive with another transfer that is under way, operands that overlap,
/// rounds that fall, work without `work`.
SimulationResult simulate(const std::vector<Program>& programs, std::vector<MemberMemory>& memory,
                          const Combine& combine, const Work& work = {});

}  // namespace taihu::schedule
