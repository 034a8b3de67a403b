// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/guards.h"

#include <stdlib.h>
#include <string.h>

#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap::guards {
namespace {

constexpr std::uint32_t most_pages = 16384;
constinit std::atomic<std::uint32_t> pages{0};

std::uint64_t word_of(const void* block) {
  return free_key + reinterpret_cast<std::uint64_t>(block);
}

void* word_in(const Slice* span, const void* block) {
  return const_cast<char*>(static_cast<const char*>(block)) + usable_bytes(span);
}

[[noreturn, gnu::cold]] void fail_overflow(const void* block, std::uint64_t bytes) {
  Text words;
  words.add("taihu heap: overflow: bytes behind the block of ").add_number(bytes).add(" bytes at ");
  words.add_hexadecimal(reinterpret_cast<std::uintptr_t>(block)).add(" were overwritten\n");
  words.write_to(STDERR_FILENO);
  abort();
}

}  // namespace

std::size_t page_bytes() {
  return settings.secure ? os::page_bytes() : 0;
}

void protect(Slice* run) {
  const std::size_t page = os::page_bytes();
  if (pages.fetch_add(1, std::memory_order_relaxed) < most_pages)
    run->guarded = os::forbid(run->begin() + run->bytes() - page, page);
  if (!run->guarded) pages.fetch_sub(1, std::memory_order_relaxed);
}

void unprotect(Slice* run) {
  if (!run->guarded) return;
  const std::size_t page = os::page_bytes();
  os::permit(run->begin() + run->bytes() - page, page);
  pages.fetch_sub(1, std::memory_order_relaxed);
  run->guarded = false;
}

Slice* GuardedBlocks::take(std::uint32_t slices) {
  unsigned best = count_;
  for (unsigned at = 0; at < count_; ++at) {
    const std::uint32_t found = blocks_[at]->slices;
    if (found >= slices && found <= slices + slices / 4 && (best == count_ || found < blocks_[best]->slices))
      best = at;
  }
  return best < count_ ? remove(best) : nullptr;
}

void GuardedBlocks::keep(Slice* block) {
  block->state = SliceState::cached;
  block->zero = false;
  blocks_[count_++] = block;
  slices_ += block->slices;
}

Slice* GuardedBlocks::take_oldest() {
  return count_ > 0 ? remove(0) : nullptr;
}

Slice* GuardedBlocks::remove(unsigned at) {
  Slice* block = blocks_[at];
  memmove(blocks_ + at, blocks_ + at + 1, (--count_ - at) * sizeof *blocks_);
  slices_ -= block->slices;
  block->state = SliceState::large;
  return block;
}

std::size_t usable_bytes(const Slice* span) {
  return class_bytes(span->small) - (span->words ? sizeof(std::uint64_t) : 0);
}

void write_word(void* block) {
  const Slice* span = slice_map.span_of(block);
  const std::uint64_t word = word_of(block);
  if (span->words) memcpy(word_in(span, block), &word, sizeof word);
}

void check_word(const void* block) {
  const Slice* span = slice_map.span_of(block);
  const std::uint64_t word = word_of(block);
  if (span->words && memcmp(word_in(span, block), &word, sizeof word) != 0)
    fail_overflow(block, usable_bytes(span));
}

}  // namespace taihu::memory::heap::guards
