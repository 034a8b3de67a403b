// SPDX-License-Identifier: Apache-2.0
// Which bins of a large array have been scored in since the last batch, so that the end of a batch costs as
// much as was scored and not as much as there are bins.
//
// A mark is one bit for a block of bins that share a cache line: for 10^7 bins the marks are 312 KB, which
// stay in a processor's own cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "taihu/neutron/storage/hot_vector.h"

namespace taihu::neutron {

/// Not for several threads at once, except for_each_range(), which only reads.
class BinMarks {
 public:
  static constexpr std::int64_t block = 4;  ///< bins of 16 bytes in a cache line

  explicit BinMarks(std::int64_t bins = 0) : bins_(bins), words_((bins + per_word - 1) / per_word) {}

  /// Marks bins [first, first + count).
  void mark(std::int64_t first, std::int64_t count) noexcept {
    const auto last = static_cast<std::uint64_t>(first + count - 1) / block;
    for (auto b = static_cast<std::uint64_t>(first) / block; b <= last; ++b)
      words_[b / bits] |= std::uint64_t{1} << (b % bits);
  }
  /// Prefetches the mark of a bin that mark() follows for.
  void prefetch(std::int64_t bin) const noexcept { __builtin_prefetch(&words_[bin / per_word], 1); }
  void mark_all() noexcept { std::fill(words_.begin(), words_.end(), ~std::uint64_t{0}); }
  void clear() noexcept { std::fill(words_.begin(), words_.end(), 0); }

  /// Takes the marks of another object of the same size, which are cleared.
  void take(BinMarks& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    other.clear();
  }

  /// Calls f(first, last) for ranges [first, last) of bins of [begin, end), rising, which have all marked
  /// bins. Before, ahead(first, last) is called for each range, but not long before: it may prefetch.
  template <typename F, typename Ahead>
  void for_each_range(std::int64_t begin, std::int64_t end, const F& f, const Ahead& ahead) const {
    if (begin >= end) return;
    const std::int64_t last = (end - 1) / per_word;
    const auto each = [&](std::int64_t word, const auto& g) {
      for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1) {
        const std::int64_t first = word * per_word + std::countr_zero(rest) * block;
        const std::int64_t from = std::max(first, begin), to = std::min(first + block, end);
        if (from < to) g(from, to);
      }
    };
    each(begin / per_word, ahead);
    for (std::int64_t word = begin / per_word; word <= last; ++word) {
      if (word < last) each(word + 1, ahead);
      each(word, f);
    }
  }
  template <typename F>
  void for_each_range(std::int64_t begin, std::int64_t end, const F& f) const {
    for_each_range(begin, end, f, [](std::int64_t, std::int64_t) {});
  }

  std::int64_t bytes() const noexcept { return static_cast<std::int64_t>(words_.size() * sizeof words_[0]); }
  std::int64_t bins() const noexcept { return bins_; }

 private:
  static constexpr std::int64_t bits = 64, per_word = bits * block;

  std::int64_t bins_;
  HotVector<std::uint64_t> words_;
};

}  // namespace taihu::neutron
