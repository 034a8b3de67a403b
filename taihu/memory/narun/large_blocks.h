// SPDX-License-Identifier: Apache-2.0
// What the preloaded library does with the large blocks of a program: allocates them in parts, one for each
// thread, and at the trigger looks at them, moves them, and looks again.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "taihu/memory/naalloc/allocator.h"
#include "taihu/memory/narun/preload_settings.h"
#include "taihu/memory/narun/use_observer.h"

namespace taihu::memory {

class LargeBlocks {
 public:
  explicit LargeBlocks(PreloadSettings settings);

  /// Whether blocks of this size are ours, when the program has come far enough.
  bool wants(std::size_t bytes) const noexcept { return bytes >= settings_.least_bytes; }
  bool owns(const void* place) const noexcept { return allocator_.owns(place); }

  /// Null when there is no room: ask the heap then. `alignment` is a power of two.
  void* allocate(std::size_t bytes, std::size_t alignment, Contents contents);
  /// Null when there is no room or the result would be small: copy by hand then. The block stays as it is.
  void* grow(void* block, std::size_t bytes);
  void release(void* block);
  std::size_t bytes(const void* block) { return allocator_.block_bytes(block); }

  /// The trigger: `cause` goes into the report.
  void triggered(const char* cause);
  /// The program ends: writes the reports that were asked for.
  void finish();

 private:
  void observe(const char* cause);
  void observed(std::span<const ObservedUse> uses);
  void write_text_report(const char* moment);
  void tell_of_no_blocks();
  void write_json_report();
  void look_for_function();
  BlockKind kind_now() const noexcept;

  PreloadSettings settings_;
  Allocator& allocator_;
  std::atomic<std::size_t> live_bytes_{0}, allocated_blocks_{0};
  std::atomic<bool> fired_by_bytes_{false};
  std::atomic<unsigned long long> objects_loaded_{0};  ///< when the function was last looked for
  UseObserver observer_;
  std::atomic<int> looks_{0};  ///< that came to their end
  std::atomic<int> hooked_entries_{0}, returns_{0}, triggers_{0};
};

}  // namespace taihu::memory
