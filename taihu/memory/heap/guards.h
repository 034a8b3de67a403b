// SPDX-License-Identifier: Apache-2.0
// What TAIHU_HEAP_SECURE=1 adds: a word behind every small block that must stay as it is, and pages that
// cannot be touched behind large blocks and spans. Blocks made before the setting was read have none.
#pragma once

#include <string.h>

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
/// page (each splits a mapping, and a process may have 65,530) and the process has not just made many: the
/// two system calls for a page take about 10 us, and all of them shall not take more than a tenth of the
/// time.
void protect(Slice* run);
/// The same for a large block that is handed out; one that gets no page gets a word in its place.
void protect_large(Slice* block);
/// Takes the page away. Ends the program when the word was overwritten.
void unprotect(Slice* run);
/// Bytes at the end of a large block that belong to its page or word.
std::size_t bytes_behind(const Slice* block);

/// Freed large blocks and spans of one thread whose last page is still inaccessible: two system calls less
/// when the thread needs such a run again. Only the thread's cache uses it.
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

/// The last 8 bytes of a small block in use.
inline std::uint64_t word_of(const void* block) {
  return free_key + reinterpret_cast<std::uint64_t>(block);
}
/// Writes the word of a block of this class that is handed out.
inline void write_word(void* block, unsigned small) {
  const std::uint64_t word = word_of(block);
  memcpy(static_cast<char*>(block) + class_bytes(small) - sizeof word, &word, sizeof word);
}
/// `bytes`: those that the program may use.
[[noreturn, gnu::cold, gnu::noinline]] void fail_overflow(const void* block, std::size_t bytes);
/// Ends the program when the word was overwritten.
inline void check_word(const void* block, unsigned small) {
  std::uint64_t word = 0;
  memcpy(&word, static_cast<const char*>(block) + class_bytes(small) - sizeof word, sizeof word);
  if (word != word_of(block)) [[unlikely]]
    fail_overflow(block, class_bytes(small) - sizeof word);
}

}  // namespace taihu::memory::heap::guards
