// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/thread_cache.h"

#include <algorithm>
#include <cstddef>

#include "taihu/base/contract.h"
#include "taihu/memory/heap/guards.h"
#include "taihu/memory/heap/registry.h"

namespace taihu::memory::heap {
namespace {

/// Whole lists are kept between these lengths: bytes of one span, and 1 MiB or four spans.
std::int64_t span_blocks(unsigned small) {
  return static_cast<std::int64_t>((span_slices(small) * slice_bytes) / class_bytes(small));
}

constexpr std::uint32_t carve_bytes = 4096;
constexpr std::int64_t released_at_once = 64;  ///< by a thread that only frees

/// First block of a span: where its slice begins (multiple_bytes), or shifted from span to span, so that the
/// few blocks of all spans do not meet in the same sets of the processor's caches. A multiple of the class's
/// own alignment.
std::uint16_t first_offset(unsigned small, std::uintptr_t address) {
  const std::size_t bytes = class_bytes(small), natural = bytes & (~bytes + 1);
  if (bytes <= multiple_bytes) return 0;
  const std::size_t step = std::max<std::size_t>(natural, 64);
  const std::size_t shift = ((address >> slice_shift) & 15) * step;
  return shift <= slice_bytes / 32 ? static_cast<std::uint16_t>(shift) : 0;
}

}  // namespace

std::int64_t ThreadCache::least_limit(unsigned small) const {
  return span_blocks(small);
}

void ThreadCache::prepare(unsigned node) {
  node_ = node;
  for (unsigned small = 1; small < small_classes; ++small) {
    FreeList& list = lists_[small];
    if (limits_[small] == 0) limits_[small] = list.room = least_limit(small);
    rules_[small].reciprocal = ListRule::reciprocal_of(class_bytes(small));
  }
}

void ThreadCache::belong_to(std::uintptr_t thread) {
  static_assert(offsetof(ThreadCache, lists_) == sizeof rules_ && 2 * sizeof rules_ <= alignof(ThreadCache));
  for (unsigned small = 1; small < small_classes && class_bytes(small) <= multiple_bytes; ++small)
    rules_[small].thread = thread;
}

void* ThreadCache::refill(unsigned small, std::size_t alignment) {
  if (!lists_[small].empty()) fail_corrupted(lists_[small].first);
  ++statistics_.refills;
  if (inbox_.load(std::memory_order_relaxed) != &last_block) {
    take_inbox();
    if (void* block = pop(small)) return block;
  }
  if (++slow_calls_ % 64 == 0) {
    flush_remote();
    give_up_idle();
    if constexpr (contracts_checked) check_invariants();
  }
  if (shortened_[small]) {  // it gave blocks up and needs them again: let the list be longer
    shortened_[small] = false;
    const std::int64_t most = std::max<std::int64_t>(
        (1 << 20) / static_cast<std::int64_t>(class_bytes(small)), 4 * span_blocks(small));
    const std::int64_t limit = std::min(2 * limits_[small], most);
    lists_[small].room += limit - limits_[small];
    limits_[small] = limit;
  }
  if (Slice* span = partial_[small])
    take_partial(small, span);
  else if (void* block = borrow(small, alignment))
    return block;
  else if (current_[small] || (current_[small] = new_span(small)))
    carve(small);
  return pop(small);
}

/// A free block of one of the next classes, at most half as long again, instead of pages that nobody has
/// written: how many blocks of a class are in use goes up and down, and what one class has free meets the
/// need of another. Not where memory goes back soon: what a class does not need any more is given back there,
/// but what a block has too much stays for its life. Not for short blocks: a page holds many of those, so a
/// call for each would cost more than the page.
void* ThreadCache::borrow(unsigned small, std::size_t alignment) {
  const std::size_t bytes = class_bytes(small), most = bytes + bytes / 2;
  if (bytes <= fine_bytes || settings.memory_goes_back_soon()) return nullptr;
  for (unsigned other = small + 1; other < small_classes && class_bytes(other) <= most; ++other) {
    if (class_bytes(other) % alignment != 0) continue;
    if (void* block = pop(other)) return block;
    if (Slice* span = partial_[other]) {
      take_partial(other, span);
      return pop(other);
    }
  }
  return nullptr;
}

/// All free blocks of a span, at once.
void ThreadCache::take_partial(unsigned small, Slice* span) {
  unlist(span);
  lists_[small].first = span->free;
  lists_[small].room -= span->free_blocks;
  span->free = &last_block;
  span->free_blocks = 0;
}

/// New blocks, a page's worth, so that no more pages are touched than are needed.
void ThreadCache::carve(unsigned small) {
  Slice* span = current_[small];
  const std::size_t bytes = class_bytes(small);
  const std::uint32_t wanted = std::max<std::uint32_t>(carve_bytes / static_cast<std::uint32_t>(bytes), 1);
  const std::uint32_t count = std::min(wanted, span->capacity - span->carved);
  char* block = span->begin() + span->first + span->carved * bytes;
  lists_[small].first = reinterpret_cast<Block*>(block);
  for (std::uint32_t at = 1; at < count; ++at, block += bytes)
    link(reinterpret_cast<Block*>(block), reinterpret_cast<Block*>(block + bytes));
  link(reinterpret_cast<Block*>(block), &last_block);
  lists_[small].room -= count;
  span->carved = span->carved + count;
  if (span->carved == span->capacity)
    current_[small] = nullptr;
  else if (!span->trimmed)
    trim_soon(span);
}

Slice* ThreadCache::new_span(unsigned small) {
  Slice* span = settings.secure ? take_guarded(span_slices(small)) : nullptr;
  if (!span) span = take_large(span_slices(small));  // may be a little longer
  if (!span) return nullptr;
  ++statistics_.spans;
  span->trimmed = span->written == 0;
  span->state = SliceState::small;
  span->small = static_cast<std::uint8_t>(small);
  span->free = &last_block;
  span->free_blocks = 0;
  span->carved = 0;
  span->first = first_offset(small, span->address);
  span->capacity =
      static_cast<std::uint32_t>((span->bytes() - guards::page_bytes() - span->first) / class_bytes(small));
  span->listed = false;
  if (settings.secure && !span->guarded) guards::protect(span);
  for (std::uint32_t at = 0; at < span->slices; ++at) {
    char* address = span->begin() + at * slice_bytes;
    slice_map.slice_of(address)->head_distance = static_cast<std::uint16_t>(at);
    slice_map.set_list(address, &lists_[small]);
  }
  return span;
}

void ThreadCache::list(Slice* span) {
  span->listed = true;
  span->previous = nullptr;
  span->next = partial_[span->small];
  if (span->next) span->next->previous = span;
  partial_[span->small] = span;
}

void ThreadCache::unlist(Slice* span) {
  span->listed = false;
  if (span->previous)
    span->previous->next = span->next;
  else
    partial_[span->small] = span->next;
  if (span->next) span->next->previous = span->previous;
}

/// A block of this cache goes back to its span; true when that is a span no longer.
bool ThreadCache::release(Slice* span, Block* block) {
  link(block, span->free);
  span->free = block;
  ++span->free_blocks;
  if (span->free_blocks == span->capacity) {
    give_up(span);
    return true;
  }
  if (!span->listed) list(span);
  return false;
}

/// All its blocks are free: no longer a span.
void ThreadCache::give_up(Slice* span) {
  if (span->listed) unlist(span);
  for (std::uint32_t at = 0; at < span->slices; ++at)
    slice_map.set_list(span->begin() + at * slice_bytes, nullptr);
  give_guarded(span);
}

/// The first blocks of a chain go back to their spans; at most so many. Neighbours often follow each other.
void ThreadCache::release_blocks(unsigned small, Block*& first, std::int64_t most) {
  std::int64_t count = 0;
  for (Slice* span = nullptr; count < most && first != &last_block; ++count) {
    Block* block = first;
    first = next_of(block);
    if (!span || address_of(block) - span->address >= span->bytes()) span = slice_map.span_of(block);
    if (release(span, block)) span = nullptr;
  }
  lists_[small].room += count;
  statistics_.releases += static_cast<std::uint64_t>(count);
}

/// Gives up half of a list: the older half, whose blocks the processor's cache has lost. When that happens
/// again before the list was empty, the thread only frees, and it is cheaper to give up the newest few, which
/// are in the processor's cache.
void ThreadCache::shorten(unsigned small) {
  Block*& first = lists_[small].first;
  const std::int64_t kept = limits_[small] / 2;
  if (shortened_[small]) {
    const std::int64_t few = std::min(limits_[small] - kept, released_at_once);
    return release_blocks(small, first, few - lists_[small].room);
  }
  shortened_[small] = true;
  Block* last = first;
  for (std::int64_t at = 1; at < kept && last != &last_block; ++at) last = next_of(last);
  if (last == &last_block) return;
  Block* rest = next_of(last);
  link(last, &last_block);
  release_blocks(small, rest, INT64_MAX);
}

void ThreadCache::hand_over(Block* first, Block* last) {
  Block* waiting = inbox_.load(std::memory_order_relaxed);
  do {
    link(last, waiting);
  } while (
      !inbox_.compare_exchange_weak(waiting, first, std::memory_order_seq_cst, std::memory_order_relaxed));
}

void ThreadCache::take_inbox() {
  Block* block = inbox_.exchange(&last_block, std::memory_order_acquire);
  for (Block* next = nullptr; block != &last_block; block = next) {
    next = next_of(block);
    FreeList* list = slice_map.list_of(block);
    ++statistics_.received;
    if (list->push(block)) shorten(list);
  }
}

void ThreadCache::flush(RemoteBucket& bucket) {
  if (bucket.count == 0) return;
  ThreadCache* owner = bucket.owner;
  owner->hand_over(bucket.first, bucket.last);
  bucket.count = bucket.bytes = 0;
  Registry::tend_dormant(owner);
}

void ThreadCache::flush_remote() {
  for (RemoteBucket& bucket : remote_) flush(bucket);
}

void ThreadCache::free_remote(FreeList* list, Block* block) {
  ThreadCache* owner = owner_of(list);
  RemoteBucket& bucket =
      remote_[(reinterpret_cast<std::uintptr_t>(owner) / sizeof(ThreadCache)) % remote_buckets];
  if (bucket.owner != owner) {
    flush(bucket);
    bucket.owner = owner;
  }
  link(block, bucket.count > 0 ? bucket.first : &last_block);
  bucket.first = block;
  if (bucket.count++ == 0) bucket.last = block;
  bucket.bytes += static_cast<std::uint32_t>(class_bytes(class_of(list)));
  ++statistics_.handed_over;
  if (bucket.count >= most_remote_blocks || bucket.bytes >= most_remote_bytes) flush(bucket);
}

Slice* ThreadCache::take_large(std::uint32_t slices) {
  Slice* block = large_.take(slices);
  large_.live += slices;
  if (block) {
    ++statistics_.large_reused;
    return block;
  }
  stay_on_node();
  ++statistics_.large_taken;
  block = node().refill(large_, slices);
  if (block) block->state = SliceState::large;
  return block;
}

/// Large memory that a cache keeps is of one node: that of its thread.
void ThreadCache::stay_on_node() {
  if (node_total == 1) return;
  const unsigned now = std::min(os::current_node(), node_total - 1);
  if (now == node_) return;
  node().take_back(large_, 0);
  node_ = now;
}

void ThreadCache::give_large(Slice* block) {
  block->written = block->slices;
  large_.live = std::max<std::int64_t>(large_.live - block->slices, 0);
  const std::size_t limit = node().cache_limit(large_.live);
  if (block->node != node_ || block->slices > limit) {
    node_heaps[block->node].give(block);
    return;
  }
  large_.runs.give(block);
  if (large_.runs.free_slices() > limit) node().take_back(large_, limit / 2);
}

Slice* ThreadCache::take_guarded(std::uint32_t slices) {
  Slice* block = guarded_.take(slices);
  if (block) large_.live += block->slices;
  return block;
}

void ThreadCache::give_guarded(Slice* block) {
  // The pages of a longer one cost more than its guard; as holes, kept ones keep others from merging.
  constexpr std::size_t longest = (1 << 20) >> slice_shift, limit = 2 * longest;
  if (!block->guarded || block->node != node_ || block->slices > longest) {
    guards::unprotect(block);
    return give_large(block);
  }
  if (guarded_.full()) drop_guarded(guarded_.slices() - 1);
  drop_guarded(limit - block->slices);
  large_.live = std::max<std::int64_t>(large_.live - block->slices, 0);
  guarded_.keep(block);
}

/// Frees the oldest ones until at most that much is left.
void ThreadCache::drop_guarded(std::size_t most_slices) {
  while (guarded_.slices() > most_slices) {
    Slice* block = guarded_.take_oldest();
    large_.live += block->slices;  // give_large takes it away again
    guards::unprotect(block);
    give_large(block);
  }
}

bool ThreadCache::extend(Slice* block, std::uint32_t more) {
  const bool extended = large_.runs.extend(block, more);
  large_.note_taken();
  return extended || node_heaps[block->node].extend(block, more);
}

Slice* ThreadCache::take_growable(std::uint32_t slices, SliceState preferred) {
  Slice* block = preferred == SliceState::dirty ? large_.runs.take_growable(slices, preferred) : nullptr;
  large_.note_taken();
  return block ? block : node().take_growable(slices, preferred);
}

}  // namespace taihu::memory::heap
