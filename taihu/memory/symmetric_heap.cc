// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/symmetric_heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/base/units.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

SymmetricHeap::SymmetricHeap(std::uint64_t capacity_bytes, std::uintptr_t wanted) : blocks_(capacity_bytes) {
  if (capacity_bytes == 0) return;
  const int fixed = wanted != 0 ? MAP_FIXED_NOREPLACE : 0;
  void* place = mmap(reinterpret_cast<void*>(wanted), capacity_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (place == MAP_FAILED)
    throw system_error("cannot reserve " + format_bytes(static_cast<std::int64_t>(capacity_bytes)) +
                           " of symmetric heap for a rank; ask for less or raise the limit of address space",
                       errno);
  base_ = static_cast<std::byte*>(place);
  prefer_node_of_this_thread(base_, capacity_bytes);
}

SymmetricHeap::~SymmetricHeap() {
  if (base_) munmap(base_, blocks_.capacity_bytes());
}

void SymmetricHeap::note(std::uint64_t value) {
  history_ = (history_ ^ value) * 0x100000001b3 + 1;
}

void SymmetricHeap::restore(const State& state) {
  blocks_ = OffsetAllocator(blocks_.capacity_bytes(), state.blocks);
  used_end_ = state.used_end;
  history_ = state.history;
}

void* SymmetricHeap::allocate(std::size_t bytes) {
  note(bytes);
  const auto offset = blocks_.allocate(bytes);
  if (!offset) return nullptr;
  const std::uint64_t end = *offset + *blocks_.block_bytes(*offset);
  // Used before: give large parts back to the system, which zeroes them when touched; clear the rest here.
  if (*offset < used_end_) {
    const auto page = page_bytes();
    const std::uint64_t dirty_end = std::min(end, used_end_);
    const std::uint64_t first = (*offset + page - 1) / page * page, last = dirty_end / page * page;
    if (last > first && last - first >= 64 * page &&
        madvise(base_ + first, last - first, MADV_DONTNEED) == 0) {
      std::memset(base_ + *offset, 0, first - *offset);
      std::memset(base_ + last, 0, dirty_end - last);
    } else {
      std::memset(base_ + *offset, 0, dirty_end - *offset);
    }
  }
  used_end_ = std::max(used_end_, end);
  return base_ + *offset;
}

bool SymmetricHeap::release(void* memory) {
  if (!memory) return true;
  const auto* place = static_cast<const std::byte*>(memory);
  if (!base_ || place < base_ || place >= base_ + blocks_.capacity_bytes()) return false;
  const auto offset = static_cast<std::uint64_t>(place - base_);
  note(~offset);
  return blocks_.release(offset);
}

}  // namespace taihu::memory
