// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/address_window.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <iterator>

#include "taihu/memory/placement/page_system.h"

#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB (21 << 26)
#endif

namespace taihu::memory {
namespace {

constexpr std::size_t smallest_window = std::size_t{1} << 20;
constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

AddressWindow::AddressWindow(std::size_t bytes) {
  for (; bytes >= smallest_window; bytes /= 2) {
    void* place = mmap(nullptr, bytes, PROT_NONE, reserved, -1, 0);
    if (place == MAP_FAILED) continue;
    base_ = static_cast<std::byte*>(place);
    bytes_ = bytes / page_bytes() * page_bytes();
    gaps_.emplace(0, bytes_);
    return;
  }
}

AddressWindow::~AddressWindow() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

std::byte* AddressWindow::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes == 0 || bytes > bytes_) return nullptr;
  const auto base = reinterpret_cast<std::uintptr_t>(base_);
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    const std::size_t gap_end = gap->first + gap->second;
    const std::size_t begin = ((base + gap->first + alignment - 1) & ~(alignment - 1)) - base;
    if (begin > gap_end || gap_end - begin < bytes) continue;
    const std::size_t head = begin - gap->first;
    if (begin + bytes < gap_end) gaps_.emplace(begin + bytes, gap_end - begin - bytes);
    if (head > 0)
      gap->second = head;
    else
      gaps_.erase(gap);
    return base_ + begin;
  }
  return nullptr;
}

void AddressWindow::release(std::byte* begin, std::size_t bytes) {
  // Replacing the mapping drops memory, policy and kind at once. Should the kernel refuse (too many
  // mappings), the memory is dropped and the next user sets policy and kind again.
  if (mmap(begin, bytes, PROT_NONE, reserved | MAP_FIXED, -1, 0) == MAP_FAILED)
    madvise(begin, bytes, MADV_DONTNEED);
  const auto offset = static_cast<std::size_t>(begin - base_);
  auto gap = gaps_.emplace(offset, bytes).first;
  if (const auto next = std::next(gap); next != gaps_.end() && offset + bytes == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  if (const auto before = std::prev(gap); before->first + before->second == offset) {
    before->second += gap->second;
    gaps_.erase(gap);
  }
}

int map_pages(std::byte* begin, std::size_t bytes, PageKind kind) noexcept {
  constexpr int writable = PROT_READ | PROT_WRITE;
  if (kind == PageKind::huge) {
    // With reservation: when the pool is too small this fails here, not with a signal at the first touch.
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB | MAP_HUGE_2MB;
    return mmap(begin, bytes, writable, flags, -1, 0) == MAP_FAILED ? errno : 0;
  }
  if (mmap(begin, bytes, writable, reserved | MAP_FIXED, -1, 0) == MAP_FAILED) return errno;
  // Kernels without huge pages refuse both; ordinary pages are right then.
  if (kind == PageKind::transparent && bytes >= huge_page_bytes) madvise(begin, bytes, MADV_HUGEPAGE);
  if (kind == PageKind::small) madvise(begin, bytes, MADV_NOHUGEPAGE);
  return 0;
}

void drop_contents(std::byte* begin, std::size_t bytes) noexcept {
  madvise(begin, bytes, MADV_DONTNEED);
}

}  // namespace taihu::memory
