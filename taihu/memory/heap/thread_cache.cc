// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/thread_cache.h"

#include <algorithm>

#include "taihu/memory/heap/registry.h"

namespace taihu::memory::heap {
namespace {

/// Whole lists are kept between these lengths: bytes of one span, and 1 MiB or four spans.
std::int64_t span_blocks(unsigned small) {
  return static_cast<std::int64_t>((span_slices(small) * slice_bytes) / class_bytes(small));
}

constexpr std::uint16_t first_carve_bytes = 4096, most_carve_bytes = 32768;

/// First block of a span: shifted from span to span, so that the first blocks of all spans do not meet in the
/// same sets of the processor's caches. A multiple of the class's own alignment.
std::uint16_t first_offset(unsigned small, std::uintptr_t address) {
  const std::size_t bytes = class_bytes(small), natural = bytes & (~bytes + 1);
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
    if (limits_[small] == 0) limits_[small] = rooms_[small] = least_limit(small);
    carve_batch_[small] = static_cast<std::uint16_t>(first_carve_bytes / class_bytes(small));
  }
}

void* ThreadCache::refill(unsigned small) {
  ++statistics_.refills;
  if (inbox_.load(std::memory_order_relaxed)) {
    take_inbox();
    if (void* block = pop(small)) return block;
  }
  if (++slow_calls_ % 64 == 0) flush_remote();
  if (shortened_[small]) {  // it gave blocks up and needs them again: let the list be longer
    shortened_[small] = false;
    const std::int64_t most = std::max<std::int64_t>(
        (1 << 20) / static_cast<std::int64_t>(class_bytes(small)), 4 * span_blocks(small));
    const std::int64_t limit = std::min(2 * limits_[small], most);
    rooms_[small] += limit - limits_[small];
    limits_[small] = limit;
  }
  if (Slice* span = partial_[small])
    take_partial(small, span);
  else if (current_[small] || (current_[small] = new_span(small)))
    carve(small);
  return pop(small);
}

/// All free blocks of a span, at once.
void ThreadCache::take_partial(unsigned small, Slice* span) {
  unlist(span);
  heads_[small] = span->free;
  rooms_[small] -= span->free_blocks;
  span->free = nullptr;
  span->free_blocks = 0;
}

/// New blocks, a page's worth at first and more when they are used up, so that small programs touch few
/// pages.
void ThreadCache::carve(unsigned small) {
  Slice* span = current_[small];
  const std::size_t bytes = class_bytes(small);
  const std::uint32_t wanted = std::max<std::uint32_t>(carve_batch_[small], 1);
  const std::uint32_t count = std::min(wanted, span->capacity - span->carved);
  if (wanted * bytes * 2 <= most_carve_bytes) carve_batch_[small] = static_cast<std::uint16_t>(wanted * 2);
  char* block = span->begin() + span->first + span->carved * bytes;
  heads_[small] = reinterpret_cast<Block*>(block);
  for (std::uint32_t at = 1; at < count; ++at, block += bytes)
    reinterpret_cast<Block*>(block)->next = reinterpret_cast<Block*>(block + bytes);
  reinterpret_cast<Block*>(block)->next = nullptr;
  rooms_[small] -= count;
  span->carved += count;
  if (span->carved == span->capacity) current_[small] = nullptr;
}

Slice* ThreadCache::new_span(unsigned small) {
  Slice* span = take_large(span_slices(small));  // may be a little longer
  if (!span) return nullptr;
  ++statistics_.spans;
  span->state = SliceState::small;
  span->small = static_cast<std::uint8_t>(small);
  span->free = nullptr;
  span->free_blocks = span->carved = 0;
  span->first = first_offset(small, span->address);
  span->capacity = static_cast<std::uint32_t>((span->bytes() - span->first) / class_bytes(small));
  span->listed = false;
  for (std::uint32_t at = 0; at < span->slices; ++at) {
    char* address = span->begin() + at * slice_bytes;
    slice_map.slice_of(address)->head_distance = static_cast<std::uint16_t>(at);
    slice_map.set_list(address, &heads_[small]);
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

/// A block of this cache goes back to its span.
void ThreadCache::release(Block* block) {
  Slice* span = slice_map.span_of(block);
  block->next = span->free;
  span->free = block;
  ++span->free_blocks;
  if (span->free_blocks == span->capacity)
    give_up(span);
  else if (!span->listed)
    list(span);
}

/// All its blocks are free: no longer a span.
void ThreadCache::give_up(Slice* span) {
  if (span->listed) unlist(span);
  for (std::uint32_t at = 0; at < span->slices; ++at)
    slice_map.set_list(span->begin() + at * slice_bytes, nullptr);
  give_large(span);
}

void ThreadCache::release_list(unsigned small, Block* block) {
  for (Block* next = nullptr; block; block = next) {
    next = block->next;
    release(block);
    ++rooms_[small];
    ++statistics_.releases;
  }
}

/// Keeps the newer half of a list.
void ThreadCache::shorten(unsigned small) {
  shortened_[small] = true;
  const std::int64_t kept = limits_[small] / 2;
  Block* last = heads_[small];
  for (std::int64_t at = 1; at < kept && last; ++at) last = last->next;
  if (!last) return;
  Block* rest = last->next;
  last->next = nullptr;
  release_list(small, rest);
}

void ThreadCache::hand_over(Block* first, Block* last) {
  Block* waiting = inbox_.load(std::memory_order_relaxed);
  do {
    last->next = waiting;
  } while (
      !inbox_.compare_exchange_weak(waiting, first, std::memory_order_seq_cst, std::memory_order_relaxed));
}

void ThreadCache::take_inbox() {
  Block* block = inbox_.exchange(nullptr, std::memory_order_acquire);
  for (Block* next = nullptr; block; block = next) {
    next = block->next;
    ListHead* list = slice_map.list_of(block);
    ++statistics_.received;
    if (push(list, block)) shorten(list);
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

void ThreadCache::free_remote(ListHead* list, Block* block) {
  ThreadCache* owner = owner_of(list);
  RemoteBucket& bucket =
      remote_[(reinterpret_cast<std::uintptr_t>(owner) / sizeof(ThreadCache)) % remote_buckets];
  if (bucket.owner != owner) {
    flush(bucket);
    bucket.owner = owner;
  }
  block->next = bucket.count > 0 ? bucket.first : nullptr;
  bucket.first = block;
  if (bucket.count++ == 0) bucket.last = block;
  bucket.bytes += static_cast<std::uint32_t>(class_bytes(static_cast<unsigned>(list - owner->heads_)));
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
  block->zero = false;
  large_.live = std::max<std::int64_t>(large_.live - block->slices, 0);
  const std::size_t limit = node().cache_limit(large_.live);
  if (block->node != node_ || block->slices > limit) {
    node_heaps[block->node].give(block);
    return;
  }
  large_.runs.give(block);
  if (large_.runs.free_slices() > limit) node().take_back(large_, limit / 2);
}

bool ThreadCache::extend(Slice* block, std::uint32_t more) {
  return large_.runs.extend(block, more) || node_heaps[block->node].extend(block, more);
}

Slice* ThreadCache::take_growable(std::uint32_t slices, SliceState preferred) {
  Slice* block = preferred == SliceState::dirty ? large_.runs.take_growable(slices, preferred) : nullptr;
  return block ? block : node().take_growable(slices, preferred);
}

void ThreadCache::empty() {
  flush_remote();
  take_inbox();
  for (unsigned small = 1; small < small_classes; ++small) {
    Block* all = heads_[small];
    heads_[small] = nullptr;
    release_list(small, all);
    Slice* span = current_[small];
    if (span && span->free_blocks == span->carved) {
      span->capacity = span->carved;
      current_[small] = nullptr;
      give_up(span);
    }
  }
  node().take_back(large_, 0);
}

}  // namespace taihu::memory::heap
