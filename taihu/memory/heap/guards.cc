// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/guards.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap::guards {
namespace {

constexpr std::uint32_t most_pages = 16384;
constinit std::atomic<std::uint32_t> pages{0};

/// How many pages may be made now: some at once, then so many per millisecond. The counters are only nearly
/// right when threads meet in them.
constexpr std::uint32_t pages_at_once = 256, pages_per_ms = 10;
constinit Relaxed<std::uint32_t> allowance{}, counted{};  // counted: the millisecond of the last change

bool spend() {
  const std::uint32_t now = os::milliseconds(), passed = now - counted;
  if (passed > 0) {
    counted = now;
    allowance = std::min(allowance + std::min(passed, pages_at_once) * pages_per_ms, pages_at_once);
  }
  const std::uint32_t left = allowance;
  if (left == 0) return false;
  allowance = left - 1;
  return true;
}

char* last_page(const Slice* run) {
  return run->begin() + run->bytes() - os::page_bytes();
}

std::uint64_t word_behind(const Slice* block) {
  std::uint64_t word = 0;
  memcpy(&word, last_page(block), sizeof word);
  return word;
}

}  // namespace

std::size_t page_bytes() {
  return settings.secure ? os::page_bytes() : 0;
}

void protect(Slice* run) {
  if (pages.load(std::memory_order_relaxed) >= most_pages || !spend()) return;
  if (pages.fetch_add(1, std::memory_order_relaxed) < most_pages)
    run->guarded = os::forbid(last_page(run), os::page_bytes());
  if (!run->guarded) pages.fetch_sub(1, std::memory_order_relaxed);
}

void protect_large(Slice* block) {
  protect(block);
  if (block->guarded) return;
  const std::uint64_t word = word_of(block->begin());
  memcpy(last_page(block), &word, sizeof word);
  block->worded = true;
}

void unprotect(Slice* run) {
  if (run->worded && word_behind(run) != word_of(run->begin()))
    fail_overflow(run->begin(), run->bytes() - os::page_bytes());
  run->worded = false;
  if (!run->guarded) return;
  os::permit(last_page(run), os::page_bytes());
  pages.fetch_sub(1, std::memory_order_relaxed);
  run->guarded = false;
}

std::size_t bytes_behind(const Slice* block) {
  return block->guarded || block->worded ? os::page_bytes() : 0;
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
  block->written = block->slices;
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

void fail_overflow(const void* block, std::size_t bytes) {
  Text words;
  words.add("taihu heap: overflow: bytes behind the block of ");
  words.add_number(bytes).add(" bytes at ");
  words.add_hexadecimal(reinterpret_cast<std::uintptr_t>(block)).add(" were overwritten\n");
  words.write_to(STDERR_FILENO);
  abort();
}

}  // namespace taihu::memory::heap::guards
