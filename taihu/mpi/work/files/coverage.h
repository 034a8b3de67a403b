// SPDX-License-Identifier: Apache-2.0
// Which bytes of a block hold data: one bit each.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace taihu::mpi::files {

class Coverage {
 public:
  explicit Coverage(std::int64_t bytes) : words_(static_cast<std::size_t>(bytes / 64 + 1)), bytes_(bytes) {}

  void add(std::int64_t first, std::int64_t bytes) noexcept {
    while (bytes > 0) {
      const std::int64_t bit = first % 64;
      const std::int64_t count = bytes < 64 - bit ? bytes : 64 - bit;
      words_[static_cast<std::size_t>(first / 64)] |= ones(count) << bit;
      first += count;
      bytes -= count;
    }
  }

  /// Calls visit(first, bytes) for the stretches of data in growing order.
  template <class Visit>
  void for_each_stretch(Visit&& visit) const {
    for (std::int64_t first = next(0, 0); first < bytes_;) {
      const std::int64_t end = next(first, ~std::uint64_t{0});
      visit(first, end - first);
      first = next(end, 0);
    }
  }

 private:
  static std::uint64_t ones(std::int64_t count) noexcept {
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  /// The first byte from `from` on that is covered (`flip` zero), or is not (`flip` all ones); at most
  /// bytes_.
  std::int64_t next(std::int64_t from, std::uint64_t flip) const noexcept {
    if (from >= bytes_) return bytes_;
    auto word = static_cast<std::size_t>(from / 64);
    std::uint64_t bits = (words_[word] ^ flip) & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      if (++word == words_.size()) return bytes_;
      bits = words_[word] ^ flip;
    }
    const std::int64_t found = static_cast<std::int64_t>(word) * 64 + std::countr_zero(bits);
    return found < bytes_ ? found : bytes_;
  }

  std::vector<std::uint64_t> words_;
  std::int64_t bytes_;
};

}  // namespace taihu::mpi::files
