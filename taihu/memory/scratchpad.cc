// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/scratchpad.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "taihu/base/error.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {
namespace {

constexpr std::size_t align_up(std::size_t bytes) {
  return (bytes + OffsetAllocator::alignment - 1) / OffsetAllocator::alignment * OffsetAllocator::alignment;
}

}  // namespace

ScratchpadArena::ScratchpadArena(std::size_t capacity_bytes, std::size_t static_bytes,
                                 const void* static_template)
    : capacity_bytes_(capacity_bytes),
      static_bytes_(static_bytes),
      dynamic_begin_(align_up(static_bytes)),
      static_template_(static_template),
      base_(nullptr),
      blocks_(capacity_bytes > dynamic_begin_ ? capacity_bytes - dynamic_begin_ : 0) {
  check_input(static_bytes <= capacity_bytes, "thread-local variables need " + std::to_string(static_bytes) +
                                                  " bytes but the accelerator thread's memory has " +
                                                  std::to_string(capacity_bytes) + "; make them smaller");
  // Whole pages of its own: memory of the heap may have been touched on another node before.
  void* place = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED)
    throw system_error("cannot get the memory of an accelerator thread; ask for less", errno);
  base_ = static_cast<std::byte*>(place);
  prefer_node_of_this_thread(base_, mapped_bytes());
  reset();
}

ScratchpadArena::~ScratchpadArena() {
  munmap(base_, mapped_bytes());
}

std::size_t ScratchpadArena::mapped_bytes() const {
  return std::max(align_up(capacity_bytes_), OffsetAllocator::alignment);
}

void ScratchpadArena::reset() {
  if (static_template_)
    std::memcpy(base_, static_template_, static_bytes_);
  else
    std::memset(base_, 0, static_bytes_);
  blocks_ = OffsetAllocator(capacity_bytes_ > dynamic_begin_ ? capacity_bytes_ - dynamic_begin_ : 0);
}

void* ScratchpadArena::allocate(std::size_t bytes) {
  const auto offset = blocks_.allocate(bytes);
  return offset ? base_ + dynamic_begin_ + *offset : nullptr;
}

bool ScratchpadArena::release(void* memory) {
  if (!memory) return true;
  const auto* place = static_cast<const std::byte*>(memory);
  if (place < base_ + dynamic_begin_ || place >= base_ + capacity_bytes_) return false;
  return blocks_.release(static_cast<std::uint64_t>(place - base_) - dynamic_begin_);
}

}  // namespace taihu::memory
