// SPDX-License-Identifier: Apache-2.0
// How long the tiles of a staged loop are, and whether it gains.
#include <algorithm>
#include <cstdlib>

#include "taihu/compiler/stage_plan.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Room that a window needs to keep its address modulo 64.
constexpr unsigned long slack_bytes = 64;
constexpr std::size_t most_streams = 24;

}  // namespace

bool is_any_staged(const StagePlan& plan) {
  return any_of(plan.streams, [](const PlannedStream& stream) { return stream.is_staged; });
}

void set_tile(StagePlan& plan, const LayoutCosts& costs) {
  if (plan.streams.size() > most_streams) {
    plan.refused = "it accesses more than " + std::to_string(most_streams) + " streams";
    return;
  }
  double start = 0, gain = 0;
  plan.tile = ~0UL;
  for (const PlannedStream& stream : plan.streams) {
    if (!stream.is_staged) continue;
    const auto width = static_cast<unsigned long>(stream.high - stream.low);
    const auto step = static_cast<unsigned long>(std::abs(stream.step));
    if (!plan.is_kept && !stream.is_whole) {
      const unsigned long room = std::max(stream.half_bytes, 2 * width + slack_bytes) - slack_bytes - width;
      plan.tile = std::min(plan.tile, room / step + 1);
    }
    start += (stream.reads + stream.writes) * costs.start + (stream.is_whole ? width * costs.per_byte : 0);
    gain -= static_cast<double>(step) * (stream.reads + stream.writes) * costs.per_byte;
    for (const StreamAccess& access : stream.accesses)
      gain += (isa<StoreInst>(access.instruction) ? costs.store : costs.load) - costs.near;
  }
  if (plan.tile == ~0UL) plan.tile = 1UL << 40;  // only whole objects: all iterations are one tile
  if (!is_any_staged(plan)) return;
  if (gain <= 0)
    plan.refused = "transfers would cost more than the accesses";
  else
    plan.least = static_cast<unsigned long>(std::min(start / gain + 1, 1e15));
}

}  // namespace taihu::compiler
