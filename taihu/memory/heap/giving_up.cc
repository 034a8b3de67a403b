// SPDX-License-Identifier: Apache-2.0
// What a thread cache gives up of its free memory without being short of it: all of it when its thread ends
// or the program asks, and where memory goes back to the system soon, what the thread has not used for a
// while, and pages of spans that hold nothing. Programs that begin with much work of another kind than what
// follows, as interpreters that import modules, leave both: free blocks of many classes, and in each class a
// span in memory that was used before, of which only the begin is carved.
#include <algorithm>

#include "taihu/base/contract.h"
#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/thread_cache.h"

namespace taihu::memory::heap {
namespace {

/// A few faults and system calls in this time are less than a hundredth of it. A thread that has not had any
/// for a while, as one that begins, may have some at once: it may wait for long after it has begun spans.
constexpr std::uint32_t trim_pause_ms = 4, trims_at_once = 16;
/// Giving up what is idle takes up to several hundred system calls: too many for every 64th refill, even
/// where the decay time is 0.
constexpr std::uint32_t idle_pause_ms = 20;
/// Free blocks of this size have pages without their links.
constexpr std::size_t paged_bytes = 8192;

/// Pages of spans do not go back where they would be cut out of huge ones.
bool pages_are_single() {
  return settings.huge_pages_from_bytes == SIZE_MAX;
}

bool soon() {
  return settings.memory_goes_back_soon() && pages_are_single();
}

/// The whole pages among these bytes.
void discard_pages(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t page = os::page_bytes();
  begin = (begin + page - 1) & ~(page - 1);
  end &= ~(page - 1);
  if (begin < end) os::discard(reinterpret_cast<void*>(begin), end - begin);
}

/// What is behind the carved part of a span. Pages that are carved later are new ones.
void discard_tail(Slice* span) {
  discard_pages(span->address + span->first + span->carved * class_bytes(span->small),
                span->address + span->bytes());
  span->trimmed = true;
}

/// What free blocks hold behind their links.
void discard_inside(const Block* block, std::size_t bytes) {
  for (; block != &last_block; block = next_of(block))
    discard_pages(address_of(block) + sizeof *block, address_of(block) + bytes);
}

}  // namespace

/// The free blocks of a class go back to their spans, and a span whose blocks are all back is no longer one.
void ThreadCache::give_up_class(unsigned small) {
  release_blocks(small, lists_[small].first, INT64_MAX);
  Slice* span = current_[small];
  if (!span || span->free_blocks != span->carved) return;
  span->capacity = span->carved;
  current_[small] = nullptr;
  give_up(span);
}

void ThreadCache::empty() {
  flush_remote();
  take_inbox();
  for (unsigned small = 1; small < small_classes; ++small) give_up_class(small);
  drop_guarded(0);
  node().take_back(large_, 0);
  if constexpr (contracts_checked) check_invariants();
}

/// Pages of the spans of a class that hold nothing.
void ThreadCache::trim(unsigned small) {
  if (current_[small] && !current_[small]->trimmed) discard_tail(current_[small]);
  const std::size_t bytes = class_bytes(small);
  if (bytes < paged_bytes) return;
  discard_inside(lists_[small].first, bytes);
  for (const Slice* span = partial_[small]; span; span = span->next) discard_inside(span->free, bytes);
}

/// Not of huge pages, even if the program asks.
void ThreadCache::trim() {
  if (!pages_are_single()) return;
  for (unsigned small = 1; small < small_classes; ++small) trim(small);
}

/// Of a span that has just been carved.
void ThreadCache::trim_soon(Slice* span) {
  if (!soon()) return;
  const std::uint32_t now = os::milliseconds(), since = now - last_trim_;
  if (since < trim_pause_ms) return;
  last_trim_ = now - std::min(since - trim_pause_ms, (trims_at_once - 1) * trim_pause_ms);
  discard_tail(span);
}

ThreadCache::Use ThreadCache::use_of(unsigned small) const {
  const FreeList& list = lists_[small];
  return {list.first, list.room, current_[small] ? std::uint32_t{current_[small]->carved} : 0};
}

void ThreadCache::give_up_idle() {
  if (!soon()) return;
  const std::uint32_t now = os::milliseconds(), decay = settings.decay_ms.load(std::memory_order_relaxed);
  if (now - last_idle_ < std::max(decay, idle_pause_ms)) return;
  last_idle_ = now;
  for (unsigned small = 1; small < small_classes; ++small) {
    if (use_of(small) == last_use_[small]) give_up_class(small);
    last_use_[small] = use_of(small);
  }
  trim();
  node().take_back(large_, large_.runs.free_slices());  // what has been idle
}

}  // namespace taihu::memory::heap
