// SPDX-License-Identifier: Apache-2.0
// Copies that stay in the scratchpad (kept_copies.h), with what they cost and save on the modelled machine.
#pragma once

#include <cstdint>

#include "taihu/parallelc/kept_copies.h"
#include "taihu/parallelc/scratchpad_timing.h"

namespace taihu::parallelc {

/// A transfer that is not needed.
inline void note_reuse(std::uint64_t bytes) {
  if (scratchpad_model::Core* core = current_core()) core->reuse(bytes);
}

/// Looking at the counter of writes is an access of main memory.
inline void count_look() {
  if (scratchpad_model::Core* core = current_core())
    core->count_accesses(TAIHU_ACCESS_LOAD, TAIHU_PLACE_MEMORY, 1);
}

inline char* look_for_copy(KeptCopies& copies, const char* memory, std::uint64_t bytes,
                           std::uint64_t* version) {
  if (version == nullptr || !copies.knows(version)) return nullptr;
  count_look();
  return copies.find(memory, bytes, version);
}

/// Room for a copy, which stays when it has a counter of writes.
inline void* make_copy(KeptCopies& copies, const char* memory, std::uint64_t bytes, std::uint64_t* version) {
  if (version == nullptr) return copies.allocate(bytes);
  count_look();
  return copies.make(memory, bytes, version);
}

inline char* find_copy(KeptCopies& copies, const char* memory, std::uint64_t bytes, std::uint64_t* version) {
  char* const place = look_for_copy(copies, memory, bytes, version);
  if (place != nullptr) note_reuse(bytes);
  return place;
}

}  // namespace taihu::parallelc
