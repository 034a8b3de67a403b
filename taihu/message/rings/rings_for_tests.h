// SPDX-License-Identifier: Apache-2.0
// A ring with memory of its own.
#pragma once

#include "taihu/message/rings/cell_ring.h"
#include "taihu/message/rings/ring_memory.h"

namespace taihu::message {

struct OwnRingMemory {
  explicit OwnRingMemory(std::uint32_t lines) : zeros(memory.take(lines * line_bytes)) {}
  RingMemory memory;
  std::byte* const zeros;
};

class OwnCellRing : private OwnRingMemory, public CellRing {
 public:
  explicit OwnCellRing(std::uint32_t lines) : OwnRingMemory(lines), CellRing(lines, zeros) {}
};

}  // namespace taihu::message
