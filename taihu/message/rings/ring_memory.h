// SPDX-License-Identifier: Apache-2.0
// Zeros for the rings of one rank, in mappings for several rings at once. Pages come when a ring is written:
// a rank that says a few words to each of many others uses one page for each, and asks the system for memory
// once or some times, not once for each. Ranks that ask at the same time wait for each other there.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::message {

/// One thread at a time. Rings must not be used any more when it ends.
class RingMemory {
 public:
  /// `expected`: rings that the rank may well need.
  explicit RingMemory(std::size_t expected = 1) noexcept
      : at_once_(std::clamp<std::size_t>(expected, 1, most_at_once)) {}
  ~RingMemory() {
    for (const Mapping& mapping : mappings_) munmap(mapping.begin, mapping.bytes);
  }
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;

  /// `ring_bytes` zeros, a multiple of a cache line, at the beginning of one. Throws std::bad_alloc.
  std::byte* take(std::size_t ring_bytes) {
    expect(ring_bytes != 0 && ring_bytes % 64 == 0, "bytes of a ring: a multiple of 64");
    if (left_bytes_ < ring_bytes) map(ring_bytes);
    std::byte* const ring = next_;
    next_ += ring_bytes;
    left_bytes_ -= ring_bytes;
    return ring;
  }

 private:
  static constexpr std::size_t most_at_once = 32;

  struct Mapping {
    void* begin;
    std::size_t bytes;
  };

  void map(std::size_t ring_bytes) {
    const std::size_t bytes = at_once_ * ring_bytes;
    mappings_.reserve(mappings_.size() + 1);
    void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::bad_alloc();
    mappings_.push_back({place, bytes});
    next_ = static_cast<std::byte*>(place);
    left_bytes_ = bytes;
    at_once_ = std::min(2 * at_once_, most_at_once);
  }

  std::byte* next_ = nullptr;
  std::size_t left_bytes_ = 0;  // in the latest mapping that are free
  std::size_t at_once_;         // rings of the next mapping
  std::vector<Mapping> mappings_;
};

}  // namespace taihu::message
