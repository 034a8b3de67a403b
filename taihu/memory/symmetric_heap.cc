// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/symmetric_heap.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/base/units.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

namespace {

/// Heaps that other processes can open. A child of fork would write to its parent's: it maps them anew, for
/// itself.
class OpenHeaps {
 public:
  static OpenHeaps& instance() {
    static OpenHeaps heaps;
    return heaps;
  }
  void add(std::byte* base, std::uint64_t bytes, int fd) {
    const std::lock_guard hold(mutex_);
    heaps_.push_back({base, bytes, fd});
  }
  void remove(const std::byte* base) {
    const std::lock_guard hold(mutex_);
    std::erase_if(heaps_, [&](const Heap& heap) { return heap.base == base; });
  }

 private:
  struct Heap {
    std::byte* base;
    std::uint64_t bytes;
    int fd;
  };

  OpenHeaps() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().become_private(); });
  }
  void become_private() {
    for (const Heap& heap : heaps_)
      if (mmap(heap.base, heap.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
               heap.fd, 0) == MAP_FAILED)
        _exit(1);    // the child must not change the parent's data
    heaps_.clear();  // they are private now; mapped anew in a child of this child, they would lose its data
    mutex_.unlock();
  }

  std::mutex mutex_;  // also kept during fork
  std::vector<Heap> heaps_;
};

std::optional<SharedMemory> object_for(HeapSharing sharing, std::uint64_t bytes) {
  if (sharing == HeapSharing::none) return std::nullopt;
  try {
    return SharedMemory::create(bytes);
  } catch (const Error&) {
    return std::nullopt;  // others send their data then
  }
}

}  // namespace

SymmetricHeap::SymmetricHeap(std::uint64_t capacity_bytes, std::uintptr_t wanted, HeapSharing sharing)
    : blocks_(capacity_bytes) {
  if (capacity_bytes == 0) return;
  shared_ = object_for(sharing, capacity_bytes);
  const int fixed = wanted != 0 ? MAP_FIXED_NOREPLACE : 0;
  const int kind = shared_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* place = mmap(reinterpret_cast<void*>(wanted), capacity_bytes, PROT_READ | PROT_WRITE,
                     kind | MAP_NORESERVE | fixed, fd(), 0);
  if (place == MAP_FAILED)
    throw system_error(
        "cannot reserve " + format_bytes(static_cast<std::int64_t>(capacity_bytes)) +
            " of symmetric heap for a rank; lower -n or raise the limit of address space (ulimit -v)",
        errno);
  base_ = static_cast<std::byte*>(place);
  if (shared_) OpenHeaps::instance().add(base_, capacity_bytes, fd());
  prefer_node_of_this_thread(base_, capacity_bytes);
}

SymmetricHeap::~SymmetricHeap() {
  if (base_ == nullptr) return;
  if (shared_) OpenHeaps::instance().remove(base_);
  munmap(base_, blocks_.capacity_bytes());
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
        madvise(base_ + first, last - first, shared_ ? MADV_REMOVE : MADV_DONTNEED) == 0) {
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
