// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/page_heap.h"

#include <algorithm>
#include <bit>

#include "taihu/memory/heap/region.h"
#include "taihu/memory/heap/settings.h"

namespace taihu::memory::heap {
namespace {

/// Record of the slice `distance` slices after the begin of a run (also of the neighbour behind it), if it is
/// one of the heap's.
Slice* slice_at(const Slice* run, std::ptrdiff_t distance) {
  return slice_map.slice_of(run->begin() + distance * static_cast<std::ptrdiff_t>(slice_bytes));
}

}  // namespace

/// A neighbour with which a free run of this kind may merge: `address` is where it has to be.
bool PageHeap::mergeable(const Slice* neighbour, std::uintptr_t address, const Slice* run,
                         SliceState state) const {
  return neighbour && neighbour->address == address && neighbour->state == state &&
         neighbour->node == run->node && neighbour->holder == holder_;
}

unsigned PageHeap::bin_of(std::uint32_t slices) {
  if (slices <= 32) return slices - 1;
  const unsigned doubling = static_cast<unsigned>(std::bit_width(slices)) - 1;
  return std::min(32 + (doubling - 5) * 8 + ((slices >> (doubling - 3)) & 7), bin_count - 1);
}

/// Writes what both ends of a run tell their neighbours. The state comes last: with the holder of an earlier
/// time next to it, another heap would take the run for its own. That heap may have read the state of a free
/// run already when it reads the holder, so only a run that becomes free gets one: that of this heap.
void PageHeap::mark(Slice* run, SliceState state) {
  const bool becomes_free = state == SliceState::dirty || state == SliceState::clean;
  if (run->slices > 1) {
    Slice* last = slice_at(run, run->slices - 1);
    last->address = run->address + ((std::uintptr_t{run->slices} - 1) << slice_shift);
    last->slices = run->slices;
    last->node = run->node;
    if (becomes_free) last->holder = run->holder;
    last->time = run->time;
    last->state = state;
  }
  run->state = state;
}

void PageHeap::remove(Slice* run) {
  Bins& from = bins(run->state);
  const unsigned bin = bin_of(run->slices);
  if (run->previous)
    run->previous->next = run->next;
  else
    from.first[bin] = run->next;
  if (run->next) run->next->previous = run->previous;
  if (!from.first[bin]) from.occupied[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
  count(run->state) -= run->slices;
}

void PageHeap::insert(Slice* run, SliceState state) {
  run->time = os::milliseconds();
  run->holder = holder_;
  Slice* behind = slice_at(run, run->slices);
  if (mergeable(behind, run->address + run->bytes(), run, state)) {
    remove(behind);
    run->slices += behind->slices;
    behind->state = SliceState::none;
  }
  Slice* before = slice_at(run, -1);
  if (mergeable(before, run->address - slice_bytes, run, state)) {
    Slice* head = slice_at(run, -static_cast<std::ptrdiff_t>(before->slices));
    remove(head);
    head->slices += run->slices;
    head->time = run->time;
    before->state = run->state = SliceState::none;
    run = head;
  }
  mark(run, state);
  Bins& to = bins(state);
  const unsigned bin = bin_of(run->slices);
  run->previous = nullptr;
  run->next = to.first[bin];
  if (run->next) run->next->previous = run;
  to.first[bin] = run;
  to.occupied[bin / 64] |= std::uint64_t{1} << (bin % 64);
  count(state) += run->slices;
}

/// The best of the first runs of a bin: the shortest that is long enough, of these the one with the lowest
/// address, so that the others have a chance to merge.
Slice* PageHeap::best_of(Slice* first, std::uint32_t slices) {
  Slice* best = nullptr;
  int tries = 32;
  for (Slice* run = first; run && tries > 0; run = run->next, --tries) {
    if (run->slices < slices) continue;
    if (!best || run->slices < best->slices || (run->slices == best->slices && run->address < best->address))
      best = run;
  }
  return best;
}

/// A free run of at least `slices`: of the bin that may hold some of them, else of a higher bin.
Slice* PageHeap::find(Bins& from, std::uint32_t slices) {
  const unsigned bin = bin_of(slices);
  if (Slice* run = best_of(from.first[bin], slices)) return run;
  for (unsigned word = (bin + 1) / 64; word < std::size(from.occupied); ++word) {
    std::uint64_t occupied = from.occupied[word];
    if (word == (bin + 1) / 64) occupied &= ~std::uint64_t{0} << ((bin + 1) % 64);
    if (occupied)
      return best_of(from.first[word * 64 + static_cast<unsigned>(std::countr_zero(occupied))], slices);
  }
  return nullptr;
}

Slice* PageHeap::split(Slice* run, std::uint32_t slices) {
  Slice* rest = slice_at(run, slices);
  rest->address = run->address + (std::uintptr_t{slices} << slice_shift);
  rest->slices = run->slices - slices;
  rest->node = run->node;
  rest->written = run->written - std::min(run->written, slices);
  rest->grown = rest->guarded = rest->worded = false;
  rest->time = run->time;
  run->slices = slices;
  run->written = std::min(run->written, slices);
  mark(rest, SliceState::large);
  mark(run, SliceState::large);
  return rest;
}

/// Takes `slices` slices out of a free run, `before` slices after its begin.
Slice* PageHeap::cut(Slice* run, std::uint32_t before, std::uint32_t slices) {
  const SliceState state = run->state;
  const std::uint32_t time = run->time;
  remove(run);
  run->written = state == SliceState::clean ? 0 : run->slices;
  run->grown = run->guarded = run->worded = false;
  mark(run, SliceState::large);
  if (before > 0) {
    Slice* front = run;
    run = split(front, before);
    insert(front, state);
    front->time = time;
  }
  if (run->slices > slices) {
    Slice* rest = split(run, slices);
    insert(rest, state);
    rest->time = time;
  }
  most_held_slices_ = std::max(most_held_slices_, held_slices());
  return run;
}

Slice* PageHeap::take_from(Bins& from, std::uint32_t slices, std::uint32_t alignment) {
  if (slices > UINT32_MAX - alignment) return nullptr;
  Slice* run = find(from, slices + alignment - 1);
  if (!run) return nullptr;
  const std::uintptr_t number = run->address >> slice_shift;
  const std::uintptr_t aligned = (number + alignment - 1) & ~(std::uintptr_t{alignment} - 1);
  return cut(run, static_cast<std::uint32_t>(aligned - number), slices);
}

Slice* PageHeap::take_free(std::uint32_t slices, std::uint32_t alignment) {
  Slice* run = take_from(dirty_, slices, alignment);
  return run ? run : take_from(clean_, slices, alignment);
}

Slice* PageHeap::take_fitting(std::uint32_t slices, std::uint32_t most) {
  Slice* run = find(dirty_, slices);
  return run && run->slices <= most ? cut(run, 0, run->slices) : nullptr;
}

Slice* PageHeap::take_longest(std::uint32_t most) {
  for (Bins* from : {&clean_, &dirty_})
    for (unsigned word = std::size(from->occupied); word-- > 0;)
      if (from->occupied[word]) {
        Slice* run =
            from->first[word * 64 + 63 - static_cast<unsigned>(std::countl_zero(from->occupied[word]))];
        return cut(run, 0, std::min(run->slices, most));
      }
  return nullptr;
}

/// The end of a dirty run with the begin of the clean one behind it: what is present serves although it is
/// too short, and fewer pages are new. Null when there is none.
Slice* PageHeap::take_across(std::uint32_t slices) {
  Slice* clean = slices > 1 ? find(clean_, slices) : nullptr;
  if (!clean) return nullptr;
  const Slice* last = slice_at(clean, -1);
  if (!mergeable(last, clean->address - slice_bytes, clean, SliceState::dirty)) return nullptr;
  Slice* dirty = slice_at(clean, -static_cast<std::ptrdiff_t>(last->slices));
  const std::uint32_t present = std::min(dirty->slices, slices - 1);
  Slice* run = cut(dirty, dirty->slices - present, present);
  extend(run, slices - present);
  run->written = present;
  return run;
}

Slice* PageHeap::take(std::uint32_t slices, std::uint32_t alignment, std::uint8_t node) {
  Slice* run = take_from(dirty_, slices, alignment);
  if (!run && alignment == 1) run = take_across(slices);
  if (!run) run = take_from(clean_, slices, alignment);
  if (!run && grow(slices, alignment, node)) run = take_from(clean_, slices, alignment);
  return run;
}

Slice* PageHeap::take_up_to(std::uint32_t slices, std::uint32_t most) {
  Slice* run = find(dirty_, slices);
  return run ? cut(run, 0, std::min(run->slices, most)) : nullptr;
}

Slice* PageHeap::take_growable(std::uint32_t slices, SliceState preferred) {
  Bins& first = bins(preferred);
  Bins& other = preferred == SliceState::dirty ? clean_ : dirty_;
  // The block may grow on in place as long as there is room behind it, so the roomiest place comes first; but
  // fresh pages cost more than a copy, so little room among those at hand is better than much elsewhere.
  const struct {
    Bins& from;
    std::uint32_t times;
  } wishes[] = {{first, 64}, {first, 32}, {first, 16}, {first, 8},
                {other, 64}, {other, 8},  {first, 2},  {other, 2}};
  for (const auto& wish : wishes) {
    Slice* run = slices <= UINT32_MAX / wish.times ? find(wish.from, wish.times * slices) : nullptr;
    if (!run) continue;
    run = cut(run, grows_into(run) ? run->slices / 2 : 0, slices);
    run->grown = true;
    return run;
  }
  return nullptr;
}

/// Is the run before this free one a block that grows? Then a new one leaves it half of the room.
bool PageHeap::grows_into(const Slice* run) const {
  const Slice* last = slice_at(run, -1);
  if (!last || last->address != run->address - slice_bytes || last->state != SliceState::large) return false;
  const Slice* head = slice_at(run, -static_cast<std::ptrdiff_t>(last->slices));
  return head && head->address == run->address - head->bytes() && head->grown;
}

/// The free run that begins `distance` slices after the begin of `run`, if one does.
Slice* PageHeap::free_run_at(const Slice* run, std::uint32_t distance) const {
  Slice* behind = slice_at(run, distance);
  const std::uintptr_t address = run->address + (std::uintptr_t{distance} << slice_shift);
  return mergeable(behind, address, run, SliceState::dirty) ||
                 mergeable(behind, address, run, SliceState::clean)
             ? behind
             : nullptr;
}

bool PageHeap::extend(Slice* run, std::uint32_t more) {
  // A dirty run is often followed by a clean one, or the other way round.
  Slice* behind = free_run_at(run, run->slices);
  if (!behind) return false;
  const std::uint32_t first = std::min(behind->slices, more);
  Slice* second = first < more ? free_run_at(run, run->slices + first) : nullptr;
  if (first < more && (!second || second->slices < more - first)) return false;
  cut(behind, 0, first)->state = SliceState::none;
  if (second) cut(second, 0, more - first)->state = SliceState::none;
  run->slices += more;
  run->written = run->slices;
  mark(run, SliceState::large);
  return true;
}

bool PageHeap::grow(std::uint32_t slices, std::uint32_t alignment, std::uint8_t node) {
  const std::size_t needed = std::size_t{slices} + alignment - 1;
  Region region;
  {
    LockGuard guard(growth_lock);
    region = new_region(needed, mapped_slices_);
  }
  if (!region.begin) return false;
  Slice* run = slice_map.slice_of(region.begin);
  run->address = reinterpret_cast<std::uintptr_t>(region.begin);
  run->slices = static_cast<std::uint32_t>(region.slices);
  run->node = node;
  mapped_slices_ += region.slices;
  insert(run, SliceState::clean);
  return true;
}

bool PageHeap::prefill(std::size_t bytes, std::uint8_t node) {
  const std::size_t slices = slices_for(bytes);
  if (slices == 0 || slices > UINT32_MAX / 2) return slices == 0;
  Slice* run = take(static_cast<std::uint32_t>(slices), 1, node);
  if (!run) return false;
  os::populate(run->begin(), run->bytes());
  give(run);
  return true;
}

void PageHeap::purge(Mutex& lock, std::uint32_t now, std::uint32_t age_ms, std::size_t keep) {
  Slice* old = nullptr;
  for (unsigned bin = bin_count; bin-- > 0;) {
    for (Slice *run = dirty_.first[bin], *next = nullptr; run && dirty_slices_ > keep; run = next) {
      next = run->next;
      if (now - run->time < age_ms) continue;
      remove(run);
      mark(run, SliceState::purging);
      run->next = old;
      old = run;
      mapped_slices_ -= run->slices;  // not counted as held meanwhile
    }
  }
  if (!old) return;
  lock.unlock();
  const bool scarce =
      os::address_space_limit() != SIZE_MAX;  // then other users of address space need it, too
  for (Slice* run = old; run; run = run->next)
    if (!scarce || !unmap(run)) run->written = os::discard(run->begin(), run->bytes()) ? 0 : run->slices;
  lock.lock();
  for (Slice *run = old, *next = nullptr; run; run = next) {
    next = run->next;
    purged_slices_ += run->slices;
    if (run->state == SliceState::none) continue;
    mapped_slices_ += run->slices;
    insert(run, run->written == 0 ? SliceState::clean : SliceState::dirty);
  }
}

void PageHeap::unmap_clean() {
  for (Slice* first : clean_.first)
    for (Slice *run = first, *next = nullptr; run; run = next) {
      next = run->next;
      const std::uint32_t slices = run->slices;
      remove(run);
      if (unmap(run))
        mapped_slices_ -= slices;
      else
        insert(run, SliceState::clean);  // into the same bin, as nothing merges
    }
}

/// Takes a run out of the heap for good.
bool PageHeap::unmap(Slice* run) {
  LockGuard guard(growth_lock);
  if (!slice_map.remove_region(run->begin(), run->bytes())) return false;
  os::unmap(run->begin(), run->bytes());
  mark(run, SliceState::none);
  return true;
}

}  // namespace taihu::memory::heap
