// SPDX-License-Identifier: Apache-2.0
// Finds the interval of a rising grid of energies: the leading bits of a floating-point number, that is its
// exponent and the first bits of its mantissa, say where to look. Where the grid is fine, as at resonances,
// more bits of the mantissa are used, so that mostly a comparison or two are left. It needs no logarithm, and
// costs nearly the same for grids of any size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace taihu::neutron {

/// All energies of grids that do not fall, in order; an energy that one grid has twice is there twice.
std::vector<double> union_of(std::vector<std::vector<double>> grids);

class EnergyIndex {
 public:
  EnergyIndex() = default;

  /// `grid` has at least two positive energies that do not fall. It is passed again to find(). `stride`: of
  /// the energies in an array of records, in doubles.
  EnergyIndex(const double* grid, std::size_t count, std::size_t stride = 1)
      : count_(count), stride_(stride) {
    first_key_ = key_of(grid[0]);
    const std::uint64_t last_key = key_of(grid[(count - 1) * stride]);
    std::size_t i = 0;
    for (std::uint64_t number = first_key_; number <= last_key; ++number) {
      std::size_t end = i;
      while (end < count && key_of(grid[end * stride]) == number) ++end;
      const int cuts = end > i ? std::min(most_cuts, static_cast<int>(std::bit_width(end - i))) : 0;
      Key key;
      key.first = static_cast<std::uint32_t>(start_.size());
      key.shift = static_cast<std::uint16_t>(key_shift - cuts);
      key.mask = static_cast<std::uint16_t>((1U << cuts) - 1);
      for (std::uint64_t part = 0; part <= key.mask; ++part) {
        while (i < end && ((bits_of(grid[i * stride]) >> key.shift) & key.mask) < part) ++i;
        start_.push_back(static_cast<std::uint32_t>(i));
      }
      i = end;
      keys_.push_back(key);
    }
    start_.push_back(static_cast<std::uint32_t>(count));
  }

  bool empty() const noexcept { return count_ == 0; }

  /// Interval i with grid[i] <= e < grid[i + 1]; the first or last one for energies outside.
  std::size_t find(const double* grid, double e) const noexcept {
    if (!(e > grid[0])) return 0;
    if (e >= grid[(count_ - 1) * stride_]) return count_ - 2;
    const std::uint64_t bits = bits_of(e);
    const Key& key = keys_[(bits >> key_shift) - first_key_];
    // Points before start_[part] are below e, those from start_[part + 1] on are above it.
    const std::uint32_t* part = start_.data() + key.first + ((bits >> key.shift) & key.mask);
    const double* base = grid + part[0] * stride_;
    std::size_t length = part[1] - part[0];
    while (length > 0) {
      const std::size_t half = length / 2;
      const double* middle = base + half * stride_;
      if (*middle <= e) {
        base = middle + stride_;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    return std::min<std::size_t>((base - grid) / stride_ - 1, count_ - 2);
  }

  /// A point near an energy between the ends of the grid, that is where find() begins to look.
  std::size_t near(double e) const noexcept {
    const std::uint64_t bits = bits_of(e);
    const Key& key = keys_[(bits >> key_shift) - first_key_];
    const std::uint32_t point = start_[key.first + ((bits >> key.shift) & key.mask)];
    return point > 0 ? point - 1 : 0;
  }

 private:
  static constexpr int key_shift = 46, most_cuts = 15;  ///< a key has 6 bits of the mantissa
  struct Key {
    std::uint32_t first = 0;  ///< of its parts
    std::uint16_t shift = key_shift, mask = 0;
  };
  static std::uint64_t bits_of(double e) noexcept { return std::bit_cast<std::uint64_t>(e); }
  static std::uint64_t key_of(double e) noexcept { return bits_of(e) >> key_shift; }

  std::size_t count_ = 0, stride_ = 1;
  std::uint64_t first_key_ = 0;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> start_;  ///< by part: first point that is not below it
};

}  // namespace taihu::neutron
