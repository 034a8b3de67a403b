// SPDX-License-Identifier: Apache-2.0
// Formula (1) of the paper: how many blocks a cache that has run out takes at once is its fair part of a
// share of the whole heap, less what it holds: (alpha M / n - L) / block, with M the memory in use on the
// node, n the number of threads, L what this thread's cache holds.
#include "taihu/memory/heap/node_heap.h"

#include <algorithm>

#include "taihu/base/contract.h"
#include "taihu/memory/heap/background.h"
#include "taihu/memory/heap/settings.h"

namespace taihu::memory::heap {

constinit NodeHeap node_heaps[most_nodes]{};
constinit unsigned node_total = 1;
constinit std::atomic<std::uint32_t> active_caches{0};

namespace {

constexpr std::size_t alpha_divisor = 64;  ///< alpha = 1/64
constexpr std::size_t slices_per_mib = (std::size_t{1} << 20) >> slice_shift;
constexpr std::size_t most_blocks = 32;            ///< of one refill
constexpr std::uint32_t purge_first_slices = 256;  ///< what make_up_for() calls long: 16 MiB
constexpr std::uint32_t purge_first_pause_ms = 200;

}  // namespace

std::uint8_t NodeHeap::number() const {
  return static_cast<std::uint8_t>(this - node_heaps);
}

std::size_t NodeHeap::kept_slices() const {
  return slices_for(settings.central_bytes / node_total);
}

/// Its share of a sixteenth of what the program holds if its thread has little in use: that are temporary
/// blocks, and the same pages serve the next one. Of a thread with much in use, a quarter of that: what its
/// cache keeps cannot merge with what others free, and the program's peak grows by more than the cache. Where
/// memory goes back soon, little: a thread that waits does not give back what its cache keeps.
std::size_t NodeHeap::cache_limit(std::int64_t live) const {
  if (settings.memory_goes_back_soon())
    return std::max(slices_per_mib / 4, slices_for(settings.per_thread_bytes));
  const bool little = live < LargeCache::much;
  const std::size_t least = little ? 4 * slices_per_mib : 2 * slices_per_mib, most = 512 * slices_per_mib;
  const std::size_t threads = std::max<std::size_t>(active_caches.load(std::memory_order_relaxed), 1);
  const std::size_t share = held_.load(std::memory_order_relaxed) / ((little ? 16 : 64) * threads);
  return std::max(std::clamp(share, least, most), slices_for(settings.per_thread_bytes));
}

std::size_t NodeHeap::batch(const LargeCache& cache, std::uint32_t slices) const {
  const std::size_t threads = std::max<std::size_t>(active_caches.load(std::memory_order_relaxed), 1);
  const std::size_t share = pages_.held_slices() / alpha_divisor / threads, held = cache.runs.free_slices();
  return share > held ? std::clamp((share - held) / slices, std::size_t{1}, most_blocks) : 1;
}

/// Gives back what has been idle: central blocks not needed since the last time go to the page heap, old runs
/// to the system.
void NodeHeap::tend() {
  const std::uint32_t decay = settings.decay_ms.load(std::memory_order_relaxed);
  held_.store(pages_.held_slices(), std::memory_order_relaxed);
  if (decay == Settings::never) return;
  const std::uint32_t now = os::milliseconds();
  if (now - last_tended_ < decay / 4) return;
  last_tended_ = now;
  for (std::uint32_t slices = 1; slices <= longest_span_slices; ++slices) {
    for (std::uint32_t idle = central_.idle(slices); idle > 0; --idle) {
      Slice* block = central_.pop(slices);
      if (!block) break;
      pages_.give(block);
    }
  }
  pages_.purge(lock_, now, decay, kept_slices());
  if constexpr (contracts_checked) check_locked();
}

bool NodeHeap::purge_old() {
  LockGuard guard(lock_);
  const std::uint32_t decay = settings.decay_ms.load(std::memory_order_relaxed);
  tend();
  return decay != Settings::never && pages_.dirty_slices() + central_.slices() > kept_slices();
}

bool NodeHeap::much_is_free() const {
  return settings.decay_ms.load(std::memory_order_relaxed) != Settings::never && pages_.dirty_slices() > 0 &&
         pages_.dirty_slices() >=
             slices_for(settings.much_free_bytes.load(std::memory_order_relaxed)) + kept_slices();
}

/// What a cache has not needed for half of the decay time.
std::size_t NodeHeap::idle_slices(LargeCache& cache) const {
  const std::uint32_t decay = settings.decay_ms.load(std::memory_order_relaxed);
  const std::uint32_t now = os::milliseconds();
  if (decay == Settings::never || now - cache.last_tended < decay / 2) return 0;
  cache.last_tended = now;
  const std::size_t idle = std::min(cache.least_free, cache.runs.free_slices());
  cache.least_free = cache.runs.free_slices();
  return idle;
}

/// No free memory with present pages suits a long block: gives as much of it back as the block will add, so
/// that the program's peak does not grow by pieces that are too short. Not often, for it costs faults later.
void NodeHeap::make_up_for(std::uint32_t slices) {
  if (slices < purge_first_slices || pages_.dirty_slices() < slices) return;
  const std::uint32_t now = os::milliseconds();
  if (now - last_made_up_ < purge_first_pause_ms) return;
  last_made_up_ = now;
  pages_.purge(lock_, now, 0, std::max(pages_.dirty_slices() - slices, kept_slices()));
}

/// From the page heap, which asks the system. Where address space is limited, what is free in pieces is given
/// back before memory has run out.
Slice* NodeHeap::take_at_last(std::uint32_t slices, std::uint32_t alignment) {
  Slice* run = pages_.take(slices, alignment, number());
  if (run || os::address_space_limit() == SIZE_MAX) return run;
  pages_.purge(lock_, os::milliseconds(), 0, 0);
  pages_.unmap_clean();
  return pages_.take(slices, alignment, number());
}

/// The central blocks merge with their neighbours.
void NodeHeap::empty_central() {
  for (std::uint32_t slices = 1; slices <= longest_span_slices; ++slices)
    while (Slice* block = central_.pop(slices)) pages_.give(block);
}

/// Memory with present pages. Before new pages are touched, the central lists are emptied: their blocks may
/// be what is missing between dirty runs.
Slice* NodeHeap::take_present(std::uint32_t slices, std::uint32_t most) {
  Slice* run = pages_.take_up_to(slices, most);
  if (run || central_.slices() == 0 || pages_.dirty_slices() + central_.slices() < slices) return run;
  empty_central();
  return pages_.take_up_to(slices, most);
}

/// A run of several blocks: the first block; the rest goes to the cache.
Slice* NodeHeap::take_several(LargeCache& cache, std::uint32_t slices) {
  const auto all = static_cast<std::uint32_t>(slices * batch(cache, slices));
  Slice* run = take_present(slices, all);
  if (!run) make_up_for(slices);
  if (!run && all > slices) run = pages_.take(all, 1, number());
  if (!run) run = take_at_last(slices, 1);
  if (!run || run->slices == slices) return run;
  batched_ += run->slices / slices - 1;
  Slice* rest = PageHeap::split(run, slices);
  if (rest->written == 0)
    cache.runs.give_clean(rest);
  else
    cache.runs.give(rest);
  return run;
}

Slice* NodeHeap::refill(LargeCache& cache, std::uint32_t slices) {
  LockGuard guard(lock_);
  tend();
  ++refills_;
  Slice* block = slices <= longest_span_slices ? central_.pop(slices) : nullptr;
  if (!block) {
    // What the cache has is in pieces that are too short: here they merge with their neighbours.
    while (Slice* piece = cache.runs.take_longest(UINT32_MAX)) put(piece);
    cache.note_taken();
    return take_several(cache, slices);
  }
  for (std::size_t more = batch(cache, slices); more > 1; --more, ++batched_) {
    Slice* another = central_.pop(slices);
    if (!another) break;
    cache.runs.give(another);
  }
  return block;
}

Slice* NodeHeap::take_run(std::uint32_t slices, std::uint32_t alignment) {
  LockGuard guard(lock_);
  tend();
  ++huge_;
  if (alignment == 1) {
    if (Slice* run = take_present(slices, slices)) return run;
    make_up_for(slices);
  }
  return take_at_last(slices, alignment);
}

Slice* NodeHeap::take_growable(std::uint32_t slices, SliceState preferred) {
  {
    LockGuard guard(lock_);
    tend();
    if (Slice* run = pages_.take_growable(slices, preferred)) return run;
  }
  return take_run(slices, 1);
}

/// To the central lists while they are very small against the heap: every block there is a hole that keeps
/// its neighbours from merging. Else to the page heap.
void NodeHeap::put(Slice* block) {
  const std::size_t most = std::max<std::size_t>(longest_span_slices, pages_.held_slices() / 64);
  if (block->written == 0)
    pages_.give_clean(block);
  else if (block->slices <= longest_span_slices && central_.slices() + block->slices <= most)
    central_.push(block);
  else
    pages_.give(block);
}

void NodeHeap::give(Slice* block) {
  bool much = false;
  {
    LockGuard guard(lock_);
    ++returns_;
    put(block);
    tend();
    much = much_is_free();
  }
  if (much) background::wake();
}

void NodeHeap::give_clean(Slice* block) {
  LockGuard guard(lock_);
  pages_.give_clean(block);
}

void NodeHeap::take_back(LargeCache& cache, std::size_t most_slices) {
  bool much = false;
  {
    LockGuard guard(lock_);
    take_back_locked(cache, most_slices);
    tend();
    much = much_is_free();
  }
  if (much) background::wake();
}

void NodeHeap::take_back_locked(LargeCache& cache, std::size_t most_slices) {
  ++returns_;
  const std::size_t free = cache.runs.free_slices(), idle = idle_slices(cache);
  const std::size_t kept = std::min(most_slices, free - idle);
  while (cache.runs.free_slices() > kept)
    put(cache.runs.take_longest(
        static_cast<std::uint32_t>(std::min<std::size_t>(cache.runs.free_slices() - kept, UINT32_MAX))));
  cache.note_taken();
}

bool NodeHeap::extend(Slice* block, std::uint32_t more) {
  LockGuard guard(lock_);
  if (!pages_.extend(block, more)) return false;
  return block->grown = true;
}

bool NodeHeap::trim() {
  LockGuard guard(lock_);
  empty_central();
  const std::size_t before = pages_.purged_slices();
  pages_.purge(lock_, os::milliseconds(), 0, 0);
  if constexpr (contracts_checked) check_locked();
  return pages_.purged_slices() > before;
}

void NodeHeap::prepare(std::size_t bytes) {
  LockGuard guard(lock_);
  if (!prepared_) pages_.prefill(bytes, number());
  prepared_ = true;
}

void NodeHeap::prepare_cache(LargeCache& cache, std::size_t bytes) {
  const std::size_t slices = slices_for(bytes);
  if (slices == 0 || slices > UINT32_MAX / 2) return;
  Slice* run = take_run(static_cast<std::uint32_t>(slices), 1);
  if (!run) return;
  os::populate(run->begin(), run->bytes());
  cache.runs.give(run);
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
