// SPDX-License-Identifier: Apache-2.0
// Formula (1) of the paper: how many blocks a cache that has run out takes at once is its fair part of a share of the whole
// heap, less what it holds: (alpha M / n - L) / block, with M the memory in use on the node, n the number of threads, L what
// this thread's cache holds.
#include "taihu/memory/heap/node_heap.h"

#include <algorithm>

#include "taihu/memory/heap/settings.h"

namespace taihu::memory::heap {

constinit NodeHeap node_heaps[most_nodes]{};
constinit unsigned node_total = 1;
constinit std::atomic<std::uint32_t> active_caches{0};

namespace {

constexpr std::size_t alpha_divisor = 64;            ///< alpha = 1/64
constexpr std::size_t least_cached_slices = (std::size_t{8} << 20) >> slice_shift;  ///< what any cache may keep
constexpr std::size_t most_blocks = 32;              ///< of one refill
constexpr std::uint32_t purge_first_slices = 256;    ///< requests from 16 MiB do not add to free memory that is present

}  // namespace

Slice* LargeCache::cut(std::uint32_t slices) {
  if (!reserve || reserve->slices < slices) return nullptr;
  if (reserve->slices > slices) return PageHeap::split(reserve, reserve->slices - slices);
  Slice* all = reserve;
  reserve = nullptr;
  return all;
}

bool LargeCache::uncut(Slice* block, std::size_t most_slices) {
  if (!reserve || reserve->address + reserve->bytes() != block->address || reserve->node != block->node) return false;
  if (std::size_t{reserve->slices} + block->slices > most_slices) return false;
  PageHeap::join(reserve, block);
  return true;
}

std::uint8_t NodeHeap::number() const {
  return static_cast<std::uint8_t>(this - node_heaps);
}

std::size_t NodeHeap::kept_slices() const {
  return slices_for(settings.central_bytes / node_total);
}

std::size_t NodeHeap::cache_limit() const {
  constexpr std::size_t most = (std::size_t{512} << 20) >> slice_shift;
  const std::size_t threads = std::max<std::size_t>(active_caches.load(std::memory_order_relaxed), 1);
  const std::size_t prepared = slices_for(settings.per_thread_bytes);
  return std::max(std::clamp(held_.load(std::memory_order_relaxed) / (16 * threads), least_cached_slices, most), prepared);
}

std::size_t NodeHeap::batch(const LargeCache& cache, std::uint32_t slices) const {
  const std::size_t threads = std::max<std::size_t>(active_caches.load(std::memory_order_relaxed), 1);
  const std::size_t share = pages_.held_slices() / alpha_divisor / threads, held = cache.slices();
  return share > held ? std::clamp((share - held) / slices, std::size_t{1}, most_blocks) : 1;
}

/// Gives back what has been idle: central blocks not needed since the last time go to the page heap, old runs to the system.
void NodeHeap::tend() {
  const std::uint32_t decay = settings.decay_ms.load(std::memory_order_relaxed);
  held_.store(pages_.held_slices(), std::memory_order_relaxed);
  if (decay == Settings::never) return;
  const std::uint32_t now = os::milliseconds();
  if (now - last_tended_ < decay / 4) return;
  last_tended_ = now;
  for (unsigned large = 0; large < large_classes; ++large) {
    for (std::uint32_t idle = central_.idle(large); idle > 0; --idle) {
      Slice* block = central_.pop(large, large);
      if (!block) break;
      pages_.give(block);
    }
  }
  pages_.purge(lock_, now, decay, kept_slices());
}

/// The same for the lists of one cache.
void NodeHeap::tend(LargeCache& cache) {
  const std::uint32_t decay = settings.decay_ms.load(std::memory_order_relaxed);
  if (decay == Settings::never) return;
  const std::uint32_t now = os::milliseconds();
  if (now - cache.last_tended < decay / 2) return;
  cache.last_tended = now;
  for (unsigned large = 0; large < large_classes; ++large)
    for (std::uint32_t idle = cache.lists.idle(large); idle > 0 && cache.lists.count(large) > 0; --idle)
      put(cache.lists.pop(large, large));
}

/// Length of the run to take for a cache: several blocks, and room for blocks of other lengths.
std::size_t NodeHeap::run_length(const LargeCache& cache, std::uint32_t slices, std::size_t blocks) const {
  if (cache.reserve && cache.reserve->slices >= least_cached_slices / 2) return slices;
  return slices * blocks;
}

/// Of a run: the block at its end; the rest becomes the cache's reserve.
Slice* NodeHeap::keep_rest(LargeCache& cache, Slice* run, std::uint32_t slices) {
  if (run->slices == slices) return run;
  batched_ += run->slices / slices - 1;
  if (cache.reserve) put(cache.reserve);
  cache.reserve = run;
  return cache.cut(slices);
}

Slice* NodeHeap::take_dirty(LargeCache& cache, std::uint32_t slices, std::size_t blocks) {
  Slice* run = pages_.take_up_to(slices, static_cast<std::uint32_t>(run_length(cache, slices, blocks)));
  return run ? keep_rest(cache, run, slices) : nullptr;
}

Slice* NodeHeap::take_fresh(LargeCache& cache, std::uint32_t slices, std::size_t blocks) {
  if (slices >= purge_first_slices && pages_.dirty_slices() >= slices)
    pages_.purge(lock_, os::milliseconds(), 0, std::max(pages_.dirty_slices() - slices, kept_slices()));
  Slice* run = pages_.take(static_cast<std::uint32_t>(run_length(cache, slices, blocks)), 1, number());
  if (!run) run = pages_.take(slices, 1, number());
  return run ? keep_rest(cache, run, slices) : nullptr;
}

Slice* NodeHeap::refill(LargeCache& cache, std::uint32_t slices, unsigned highest) {
  LockGuard guard(lock_);
  tend();
  tend(cache);
  ++refills_;
  const std::size_t blocks = batch(cache, slices);
  if (Slice* block = central_.pop(large_class_for(slices), highest)) {
    const unsigned large = large_class_of(block->slices);
    for (std::size_t more = 1; more < blocks && central_.count(large) > 0; ++more, ++batched_)
      cache.lists.push(central_.pop(large, large));
    return block;
  }
  Slice* block = take_dirty(cache, slices, blocks);
  return block ? block : take_fresh(cache, slices, blocks);
}

Slice* NodeHeap::take_run(std::uint32_t slices, std::uint32_t alignment) {
  LockGuard guard(lock_);
  tend();
  ++huge_;
  if (alignment == 1) {
    if (Slice* run = pages_.take_up_to(slices, slices)) return run;
    if (pages_.dirty_slices() >= slices)
      pages_.purge(lock_, os::milliseconds(), 0, std::max(pages_.dirty_slices() - slices, kept_slices()));
  }
  return pages_.take(slices, alignment, number());
}

Slice* NodeHeap::take_growable(std::uint32_t slices, SliceState preferred) {
  {
    LockGuard guard(lock_);
    tend();
    if (Slice* run = pages_.take_growable(slices, preferred)) return run;
  }
  return take_run(slices, 1);
}

/// To the central lists while they are small against the heap; else to the page heap, where it merges with its neighbours.
void NodeHeap::put(Slice* block) {
  constexpr std::size_t least = (std::size_t{4} << 20) >> slice_shift;
  const std::size_t most = std::max(least, pages_.held_slices() / 8);
  if (block->zero)
    pages_.give_clean(block);
  else if (block->slices <= 4 && central_.slices() + block->slices <= most)
    central_.push(block);
  else
    pages_.give(block);
}

void NodeHeap::give(Slice* block) {
  LockGuard guard(lock_);
  ++returns_;
  put(block);
  tend();
}

void NodeHeap::give_clean(Slice* block) {
  LockGuard guard(lock_);
  pages_.give_clean(block);
}

void NodeHeap::take_back(LargeCache& cache, std::size_t most_slices) {
  LockGuard guard(lock_);
  ++returns_;
  tend(cache);
  for (unsigned large = large_classes; large-- > 0 && cache.lists.slices() > most_slices;)
    while (cache.lists.slices() > most_slices && cache.lists.count(large) > 0) put(cache.lists.pop(large, large));
  if (cache.reserve && most_slices == 0) {
    put(cache.reserve);
    cache.reserve = nullptr;
  }
  tend();
}

bool NodeHeap::extend(Slice* block, std::uint32_t more) {
  LockGuard guard(lock_);
  if (!pages_.extend(block, more)) return false;
  return block->grown = true;
}

void NodeHeap::shrink(Slice* block, std::uint32_t slices) {
  LockGuard guard(lock_);
  pages_.give(PageHeap::split(block, slices));
  tend();
}

bool NodeHeap::trim() {
  LockGuard guard(lock_);
  while (Slice* block = central_.pop(0, large_classes - 1)) pages_.give(block);
  const std::size_t before = pages_.purged_slices();
  pages_.purge(lock_, os::milliseconds(), 0, 0);
  return pages_.purged_slices() > before;
}

void NodeHeap::prepare(std::size_t bytes) {
  LockGuard guard(lock_);
  if (!prepared_) pages_.prefill(bytes, number());
  prepared_ = true;
}

void NodeHeap::prepare_reserve(LargeCache& cache, std::size_t bytes) {
  const std::size_t slices = slices_for(bytes);
  if (slices == 0 || slices > UINT32_MAX / 2 || cache.reserve) return;
  {
    LockGuard guard(lock_);
    cache.reserve = pages_.take(static_cast<std::uint32_t>(slices), 1, number());
  }
  if (!cache.reserve) return;
  os::populate(cache.reserve->begin(), cache.reserve->bytes());
  cache.reserve->zero = false;
}

NodeStatistics NodeHeap::statistics() {
  LockGuard guard(lock_);
  return {.mapped = pages_.mapped_slices(),
          .held = pages_.held_slices(),
          .most_held = pages_.most_held_slices(),
          .dirty = pages_.dirty_slices(),
          .central = central_.slices(),
          .purged = pages_.purged_slices(),
          .refills = refills_,
          .batched = batched_,
          .returns = returns_,
          .huge = huge_};
}

}  // namespace taihu::memory::heap
