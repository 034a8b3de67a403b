// SPDX-License-Identifier: Apache-2.0
// Free small blocks, linked so that misuse shows, and what free() asks of a list before it takes a block.
//
// The first two words of a free block are
//     link  = next ^ free_key          check = link + address
// with a key that is random in every process except for its highest byte, free_tag. Addresses have 0 there,
// so every free block shows the tag in its eighth byte: free() looks at this byte only, and at both words if
// it is the tag (is_free), which finds a double free whatever list the block is in. A write to either word
// makes them disagree, and a free block whose words disagree is never handed out: that finds a write after
// free. A program that does not know the key cannot make malloc return an address that it chose. A block that
// is handed out has link 0: nothing is left of the key, and what the program leaves unwritten cannot look
// free.
//
// A list ends with last_block, whose words disagree. So malloc makes one test for "empty" and "written to".
//
// Instructions that this costs (x86-64): of malloc 5 (decode 1, test 3, link = 0: 1) less 2 for the test of
// an empty list; of free 10 (begin of a block 5, tag 2, encode 1, check 2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "taihu/memory/heap/relaxed.h"
#include "taihu/memory/heap/size_classes.h"

namespace taihu::memory::heap {

struct Block {
  std::uint64_t link, check;
};

/// The end of every list. Not written.
inline constinit Block last_block{};

/// Writes a description of the block and of the misuse to standard error, and aborts. Cold.
[[noreturn, gnu::cold, gnu::noinline]] void fail_corrupted(const Block* block);

inline std::uint64_t address_of(const void* block) {
  return reinterpret_cast<std::uint64_t>(block);
}

/// Highest byte of free_key. Rare as the eighth byte of what programs keep: no pointer, small number, usual
/// floating point number or UTF-8 has it there.
constexpr std::uint8_t free_tag = 0xf5;
constexpr std::uint64_t key_of(std::uint64_t random) {
  return (random >> 8) | (std::uint64_t{free_tag} << 56);
}
/// The key of this process; set before the first block is linked.
inline constinit std::uint64_t free_key = 0;

inline bool words_agree(const Block* block) {
  return block->check == block->link + address_of(block);
}
inline bool has_tag(const Block* block) {
  return reinterpret_cast<const std::uint8_t*>(block)[7] == free_tag;
}
inline bool is_free(const Block* block) {
  return has_tag(block) && words_agree(block);
}
inline void link(Block* block, const Block* next) {
  block->link = address_of(next) ^ free_key;
  block->check = block->link + address_of(block);
}
/// The block behind a free one that is not the last. Ends the program when the free block was written to.
inline Block* next_of(const Block* block) {
  if (!words_agree(block)) [[unlikely]]
    fail_corrupted(block);
  return reinterpret_cast<Block*>(block->link ^ free_key);
}

/// The free blocks of one class in a thread cache.
struct FreeList {
  Block* first = &last_block;
  std::int64_t room = 0;  ///< blocks that it may still take

  bool empty() const { return first == &last_block; }
  /// A block; null when there is none, or when the first one was written to.
  Block* pop() {
    Block* block = first;
    const std::uint64_t link = block->link;
    if (block->check != link + address_of(block)) [[unlikely]]
      return nullptr;
    first = reinterpret_cast<Block*>(link ^ free_key);
    block->link = 0;
    ++room;
    return block;
  }
  /// True when the list is now too long.
  bool push(Block* block) {
    link(block, first);
    first = block;
    return --room < 0;
  }
};

/// Who may push onto a list, and what: the part of a list that all threads read and that hardly ever changes,
/// apart from the list itself so that it stays in everybody's processor cache.
struct ListRule {
  Relaxed<std::uint64_t> reciprocal;  ///< of the class size: see starts_block()
  /// Thread pointer of the owner; + 1 when it must look at the words of blocks first (guards.h); 0: nobody
  /// may push without tests, as onto lists of longer blocks.
  Relaxed<std::uintptr_t> thread;

  /// 2^64 / bytes, rounded up; 0 for longer blocks, which may begin anywhere in their span.
  static constexpr std::uint64_t reciprocal_of(std::size_t bytes) {
    return bytes <= multiple_bytes ? UINT64_MAX / bytes + 1 : 0;
  }
  /// 0 if the address is a multiple of the class size from the begin of its slice, as that of every block is.
  /// Exact: with M = 2^64 / size + e / size, n M mod 2^64 is (n mod size) M plus less than n, which is less
  /// than 2^16, and M is at least 2^51.
  std::uint64_t distance(const void* address) const {
    return ((address_of(address) & (slice_bytes - 1)) * reciprocal) >> 48;
  }
  /// Known to begin one: false for all longer blocks.
  bool starts_block(const void* address) const { return reciprocal != 0 && distance(address) == 0; }
  /// Is it the calling thread's list, and does a block of it begin here? Lists of longer blocks have no
  /// thread.
  bool takes(const void* address) const {
    return thread == reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()) && distance(address) == 0;
  }
  /// The same for a list whose blocks have words.
  bool takes_with_word(const void* address) const {
    return thread == reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()) + 1 &&
           distance(address) == 0;
  }
};
static_assert(sizeof(FreeList) == 16 && sizeof(ListRule) == sizeof(FreeList));

}  // namespace taihu::memory::heap
