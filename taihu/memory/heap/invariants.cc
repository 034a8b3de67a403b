// SPDX-License-Identifier: Apache-2.0
// The heap looks at itself: each level for itself, by who owns it, and all of it when no other thread is in
// it. In builds without contracts nothing here does anything.
#include "taihu/memory/heap/invariants.h"

#include "taihu/base/contract.h"
#include "taihu/memory/heap/registry.h"

namespace taihu::memory::heap {
namespace {

/// Both ends of a run tell the same.
bool ends_agree(const Slice* run) {
  const Slice* last = slice_map.slice_of(run->begin() + run->bytes() - slice_bytes);
  return run->slices == 1 ||
         (last->address == run->address + run->bytes() - slice_bytes && last->slices == run->slices);
}

std::int64_t length_of(const Block* block) {
  std::int64_t length = 0;
  for (; block != &last_block; block = next_of(block)) {
    ensure(is_free(block), "a block in a list looks free");
    ++length;
  }
  return length;
}

/// One block of the class, of a list of this cache.
void check_block(const Block* block, unsigned small, const FreeList* list) {
  ensure(slice_map.list_of(block) == list, "list of the block's slice == list that the block is in");
  const Slice* span = slice_map.span_of(block);
  if (!span) return ensure(false, "every slice has a record");
  ensure(span->state == SliceState::small && span->small == small,
         "span of a block in the list of class c: small, class c");
  const std::uint64_t distance = address_of(block) - span->address - span->first;
  ensure(distance % class_bytes(small) == 0 && distance / class_bytes(small) < span->carved,
         "block == begin of the span + first + n class size, n < blocks carved");
}

}  // namespace

/// For every kind of free run: runs in bins == occupied bits, slices in bins == slices counted, and no two
/// runs of one kind touch.
void PageHeap::check_invariants() const {
  for (const SliceState state : {SliceState::dirty, SliceState::clean}) {
    const Bins& from = state == SliceState::dirty ? dirty_ : clean_;
    std::size_t slices = 0;
    for (unsigned bin = 0; bin < bin_count; ++bin) {
      ensure((from.first[bin] != nullptr) == ((from.occupied[bin / 64] >> (bin % 64) & 1) != 0),
             "bin has runs == bit of the bin");
      const Slice* previous = nullptr;
      for (const Slice* run = from.first[bin]; run; previous = run, run = run->next) {
        ensure(run->previous == previous, "previous(next(run)) == run");
        ensure(run->slices > 0 && bin_of(run->slices) == bin, "bin of the run's length == bin it is in");
        ensure(run->state == state && run->holder == holder_,
               "state and holder of a run == those of its heap");
        ensure(ends_agree(run), "length at the end of a run == length at its begin");
        ensure(!mergeable(slice_map.slice_of(run->begin() + run->bytes()), run->address + run->bytes(), run,
                          state),
               "free runs of one kind and one heap do not touch");
        slices += run->slices;
      }
    }
    ensure(slices == (state == SliceState::dirty ? dirty_slices_ : clean_slices_),
           "slices of all free runs == slices counted");
  }
  ensure(holder_ != 0 || mapped_slices_ >= dirty_slices_ + clean_slices_, "mapped >= dirty + clean");
}

/// blocks in the list == blocks counted, and the sum of their slices == slices counted.
void SpanLists::check_invariants() const {
  std::size_t slices = 0;
  for (std::uint32_t length = 1; length <= longest_span_slices; ++length) {
    const List& list = lists_[length - 1];
    std::uint32_t count = 0;
    for (const Slice* block = list.first; block; block = block->next, ++count)
      ensure(block->slices == length && block->state == SliceState::cached,
             "block in the central list of length n: cached, n slices");
    ensure(count == list.count && list.least <= list.count, "blocks of a list == count >= least count");
    slices += std::size_t{count} * length;
  }
  ensure(slices == slices_, "slices of all central blocks == slices counted");
}

void NodeHeap::check_invariants() {
  LockGuard guard(lock_);
  check_locked();
}

/// mapped == dirty + clean + held, and held >= central.
void NodeHeap::check_locked() const {
  pages_.check_invariants();
  central_.check_invariants();
  ensure(pages_.held_slices() >= central_.slices(), "slices held >= slices in central lists");
}

/// For every class: length of the list + room == limit; every block of it lies where a block of this class
/// begins, in a span of this cache. Every listed span: 0 < blocks free == length of its list < capacity.
void ThreadCache::check_invariants() const {
  for (unsigned small = 1; small < small_classes; ++small) {
    const FreeList& list = lists_[small];
    ensure(length_of(list.first) + list.room == limits_[small], "length of a list + room == limit");
    for (const Block* block = list.first; block != &last_block; block = next_of(block))
      check_block(block, small, &list);
    const Slice* previous = nullptr;
    for (const Slice* span = partial_[small]; span; previous = span, span = span->next) {
      ensure(span->listed && span->previous == previous && span->small == small,
             "span in the list of class c: listed, class c, previous(next(span)) == span");
      ensure(span->free_blocks > 0 && span->free_blocks < span->capacity && span->carved <= span->capacity,
             "0 < blocks free < capacity of a listed span");
      ensure(length_of(span->free) == span->free_blocks, "length of a span's list == blocks free");
      for (const Block* block = span->free; block != &last_block; block = next_of(block))
        check_block(block, small, &list);
    }
    const Slice* span = current_[small];
    ensure(!span || (span->small == small && span->carved < span->capacity),
           "blocks carved < capacity of the span that is being carved");
  }
  for (const RemoteBucket& bucket : remote_)
    ensure(bucket.count == 0 || length_of(bucket.first) == bucket.count,
           "length of what is collected for another cache == count");
  ensure(large_.live >= 0 && large_.least_free <= large_.runs.free_slices(),
         "large blocks in use >= 0; fewest free slices <= free slices");
  large_.runs.check_invariants();
}

/// No two regions share an index, none has index 0, every slice of a region has a record.
void SliceMap::check_invariants() const {
  LockGuard guard(growth_lock);
  const std::uintptr_t coverage = coverage_bytes();
  for (std::size_t at = 0; at < region_count_; ++at) {
    const Region& one = regions_[at];
    const std::uintptr_t from = one.begin & (coverage - 1);
    ensure(from > 0 && one.bytes > 0 && from + one.bytes <= coverage, "0 < index of every slice <= mask");
    ensure((one.begin | one.bytes) % slice_bytes == 0, "regions are whole slices");
    for (std::size_t other = 0; other < at; ++other) {
      const std::uintptr_t begin = regions_[other].begin & (coverage - 1);
      ensure(from + one.bytes <= begin || begin + regions_[other].bytes <= from,
             "no two regions share an index");
    }
    for (std::uintptr_t slice = one.begin; slice < one.begin + one.bytes; slice += slice_bytes)
      ensure(slice_of(reinterpret_cast<const void*>(slice)) != nullptr, "every slice has a record");
  }
}

/// Walks from run to run; the slices of all runs.
std::size_t SliceMap::tiles() const {
  std::size_t slices = 0;
  for (std::size_t at = 0; at < region_count_; ++at) {
    const Region& region = regions_[at];
    // A run may reach over the border of two regions: they are walked as one, from the lowest.
    if (region_at(region.begin - slice_bytes)) continue;
    for (std::uintptr_t begin = region.begin; region_at(begin);) {
      const Slice* run = slice_of(reinterpret_cast<const void*>(begin));
      ensure(run->address == begin && run->state != SliceState::none && run->slices > 0,
             "where a run ends another one begins");
      ensure(ends_agree(run), "length at the end of a run == length at its begin");
      const bool small = run->state == SliceState::small;
      for (std::uint32_t slice = 0; slice < run->slices; ++slice) {
        const char* address = run->begin() + slice * slice_bytes;
        ensure((list_of(address) != nullptr) == small, "slice has a list == it is of a span");
        ensure(!small || span_of(address) == run, "head of every slice of a span == begin of the span");
      }
      slices += run->slices;
      begin += run->bytes();
    }
  }
  return slices;
}

void Registry::check_invariants() {
  for (ThreadCache* cache = first_cache(); cache; cache = cache->next_)
    if (cache->state_.load(std::memory_order_acquire) != CacheState::lost) cache->check_invariants();
}

void check_invariants() {
  if (!Registry::first_cache()) return;
  slice_map.check_invariants();
  Registry::check_invariants();
  std::size_t mapped = 0;
  for (unsigned node = 0; node < node_total; ++node) {
    node_heaps[node].check_invariants();
    mapped += node_heaps[node].statistics().mapped;
  }
  ensure(slice_map.tiles() == mapped,
         "spans, blocks and free runs tile the regions: their slices == slices mapped");
}

}  // namespace taihu::memory::heap
