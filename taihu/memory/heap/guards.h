// SPDX-License-Identifier: Apache-2.0
// What TAIHU_HEAP_SECURE=1 adds: a word behind every small block that must stay as it is, and pages that
// cannot be touched behind large blocks and spans. Blocks made before the setting was read have none.
#pragma once

#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap::guards {

/// Bytes that a small block needs for its word; 0 when the heap is not secure.
inline std::size_t word_bytes() {
  return settings.secure ? sizeof(std::uint64_t) : 0;
}
/// Bytes that a large block needs for its page; 0 when the heap is not secure.
std::size_t page_bytes();

/// Makes the last page of a span or of a large block inaccessible, if the system has room for one more such
/// page (each splits a mapping, and a process may have 65,530).
void protect(Slice* run);
void unprotect(Slice* run);

/// Freed large blocks of one thread whose last page is still inaccessible: two system calls less when the
/// thread needs such a block again. Only the thread's cache uses it.
class GuardedBlocks {
 public:
  /// A block of `slices` slices or up to a quarter more, in state `large`; null when there is none.
  Slice* take(std::uint32_t slices);
  /// Keeps a block, in state `cached`.
  void keep(Slice* block);
  /// Takes out the block that came first, as it would be freed; null when there is none.
  Slice* take_oldest();

  bool full() const { return count_ == most; }
  std::size_t slices() const { return slices_; }

 private:
  Slice* remove(unsigned at);

  static constexpr unsigned most = 32;
  Slice* blocks_[most]{};  ///< oldest first
  unsigned count_ = 0;
  std::size_t slices_ = 0;
};

/// Bytes that a program may use of a block of its span.
std::size_t usable_bytes(const Slice* span);
/// Writes the word of a block that is handed out, if its span has words.
void write_word(void* block);
/// Ends the program when the word was overwritten.
void check_word(const void* block);

}  // namespace taihu::memory::heap::guards
