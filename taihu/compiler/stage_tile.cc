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
constexpr double most_outweighed_bytes = 1 << 20;

/// What an iteration gains from a table, without its transfer.
double set_table(PlannedStream& table, const LayoutCosts& costs) {
  const double gain = static_cast<double>(table.accesses.size()) * (costs.load - costs.near - table_cycles);
  table.object_bytes = static_cast<unsigned long>(
      std::clamp(gain / std::max(costs.per_byte, 1e-6), 0.0, most_outweighed_bytes));
  return gain;
}

}  // namespace

bool is_any_staged(const StagePlan& plan) {
  return any_of(plan.streams, [](const PlannedStream& stream) { return stream.is_staged; });
}

void set_tile(StagePlan& plan, const LayoutCosts& costs) {
  if (plan.streams.size() > most_streams) {
    plan.refused = "it accesses more than " + std::to_string(most_streams) + " streams";
    return;
  }
  double start = 0, gain = 0, gain_of_tables = 0;
  bool is_table_alone = true;
  plan.tile = ~0UL;
  for (PlannedStream& stream : plan.streams) {
    if (!stream.is_staged) continue;
    if (stream.is_table) {
      gain_of_tables += set_table(stream, costs);
      continue;
    }
    is_table_alone = false;
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
  if (is_table_alone) {
    start = costs.start;
    gain = gain_of_tables;
  }
  if (gain <= 0)
    plan.refused = "transfers would cost more than the accesses";
  else
    plan.least = static_cast<unsigned long>(std::min(start / gain + 1, 1e15));
}

}  // namespace taihu::compiler
