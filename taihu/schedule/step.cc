// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/step.h"

#include <algorithm>

namespace taihu::schedule {

void Program::append(const Program& next, const Embedding& place) {
  const int behind = next_round();
  const auto embed = [&](Buffer& buffer, std::size_t& offset) {
    switch (buffer) {
      case Buffer::source:
        buffer = place.source;
        offset += place.source_offset;
        break;
      case Buffer::result:
        buffer = place.result;
        offset += place.result_offset;
        break;
      case Buffer::scratch:
        offset += place.scratch_offset;
        break;
    }
  };
  steps.reserve(steps.size() + next.steps.size());
  for (Step step : next.steps) {
    step.round += behind;
    embed(step.buffer, step.offset);
    embed(step.operand_buffer, step.operand_offset);
    add(step);
  }
  scratch = std::max(scratch, place.scratch_offset + next.scratch);
}

void Program::name_peers(std::span<const int> names) {
  for (Step& step : steps) {
    if (!step.is_transfer()) continue;
    expect(static_cast<std::size_t>(step.peer) < names.size(), "each peer has a name");
    step.peer = names[static_cast<std::size_t>(step.peer)];
  }
}

}  // namespace taihu::schedule
