// SPDX-License-Identifier: Apache-2.0
// How reductions of long buffers are cut: a share of the elements for each member, and that in pieces whose
// partial results stay in the first-level cache.
#pragma once

#include <algorithm>
#include <cstddef>

#include "taihu/base/contract.h"
#include "taihu/collective/scratch.h"

namespace taihu::collective {

struct ElementRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Nearly equal ranges that begin at cache lines (of an aligned buffer), so that two members write no line in
/// common.
inline ElementRange share_of(int member, int members, std::size_t count, std::size_t element_bytes) {
  expect(member >= 0 && member < members && element_bytes > 0,
         "0 <= member < members, bytes of an element > 0");
  constexpr std::size_t cache_line_bytes = 64;
  const std::size_t granule = std::max<std::size_t>(1, cache_line_bytes / element_bytes);
  const std::size_t granules = (count + granule - 1) / granule;
  const auto n = static_cast<std::size_t>(members);
  const auto start = [&](std::size_t m) {
    return std::min(count, (granules / n * m + std::min(m, granules % n)) * granule);
  };
  const auto k = static_cast<std::size_t>(member);
  return {start(k), start(k + 1) - start(k)};
}

/// Two buffers for partial results, each of one piece.
class PieceBuffers {
 public:
  /// A piece has at least one element; large elements take their memory from `scratch`.
  PieceBuffers(std::size_t element_bytes, Scratch& scratch) noexcept
      : elements_(std::max<std::size_t>(1, piece_bytes / element_bytes)) {
    if (element_bytes <= piece_bytes) return;
    const std::size_t distance = (element_bytes + 63) / 64 * 64;
    first_ = scratch.get(2 * distance);
    second_ = first_ + (first_ != nullptr ? distance : 0);
  }

  bool has_memory() const noexcept { return first_ != nullptr; }
  std::size_t elements() const noexcept { return elements_; }
  std::byte* first() noexcept { return first_; }
  std::byte* second() noexcept { return second_; }

  /// work(first element, count) for each piece of `range`.
  template <class Work>
  void for_each(ElementRange range, Work&& work) {
    for (std::size_t done = 0; done < range.count; done += elements_) {
      work(range.first + done, std::min(elements_, range.count - done));
    }
  }

 private:
  static constexpr std::size_t piece_bytes = 8192;

  std::size_t elements_;
  alignas(64) std::byte memory_[2 * piece_bytes];
  std::byte* first_ = memory_;
  std::byte* second_ = memory_ + piece_bytes;
};

}  // namespace taihu::collective
