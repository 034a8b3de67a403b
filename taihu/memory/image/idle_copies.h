// SPDX-License-Identifier: Apache-2.0
// Copies of a program and its libraries whose rank has ended, for the next rank with the same program: a copy
// that is given back to the loader could still be known to somebody, and one more for each rank would use up
// address space, mappings and memory in a job that starts and ends ranks for days.
//
// A copy's variables become what they were before it was bound, at once when its rank has ended: initialised
// ones are kept when it is loaded, and so are those that the loader has copied from libraries (COPY
// relocations); all others are zero again, which gives back their pages. What the loader has made read-only
// no code of the rank has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/link_unit.h"

namespace taihu::memory {

/// Copies of all objects of one ImageTemplate, in its order.
struct ImageCopies {
  std::vector<LoadedObject> objects;
  std::vector<std::vector<std::byte>> data;  ///< of each object when it was loaded; empty: not kept
};

/// Initialised variables of a copy at `base` that nobody has bound, one part behind the other.
std::vector<std::byte> initial_data(const ElfObject& object, std::uintptr_t base);
/// Makes the variables of the copy what they were. No code of the copy runs.
void restore_data(const ElfObject& object, std::uintptr_t base, const std::vector<std::byte>& data);

/// Of one ImageTemplate. Any thread.
class IdleCopies {
 public:
  /// Copies whose data are restored.
  void keep(ImageCopies copies) {
    const std::lock_guard hold(lock_);
    idle_.push_back(std::move(copies));
  }
  /// Nothing: there are none.
  std::optional<ImageCopies> take() {
    const std::lock_guard hold(lock_);
    if (idle_.empty()) return std::nullopt;
    std::optional<ImageCopies> copies(std::move(idle_.back()));
    idle_.pop_back();
    return copies;
  }

 private:
  std::mutex lock_;
  std::vector<ImageCopies> idle_;
};

}  // namespace taihu::memory
