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

void fail_overflow(const void* block, unsigned small) {
  Text words;
  words.add("taihu heap: overflow: bytes behind the block of ");
  words.add_number(class_bytes(small) - sizeof(std::uint64_t)).add(" bytes at ");
  words.add_hexadecimal(reinterpret_cast<std::uintptr_t>(block)).add(" were overwritten\n");
  words.write_to(STDERR_FILENO);
  abort();
}

}  // namespace taihu::memory::heap::guards
