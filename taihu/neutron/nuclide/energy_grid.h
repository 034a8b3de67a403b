// SPDX-License-Identifier: Apache-2.0
// Finds the interval of a rising grid of energies: the leading bits of a floating-point number, that is its
// exponent and the first bits of its mantissa, say where to look, and a few comparisons do the rest. It needs
// no logarithm, and costs nearly the same for grids of any size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace taihu::neutron {

class EnergyIndex {
 public:
  EnergyIndex() = default;

  /// `grid` has at least two positive energies that do not fall. It is passed again to find(). `stride`: of
  /// the energies in an array of records, in doubles.
  EnergyIndex(const double* grid, std::size_t count, std::size_t stride = 1)
      : count_(count), stride_(stride) {
    first_key_ = key(grid[0]);
    const std::size_t keys = key(grid[(count - 1) * stride]) - first_key_ + 1;
    start_.resize(keys + 1);
    std::size_t i = 0;
    for (std::size_t k = 0; k <= keys; ++k) {
      while (i < count && key(grid[i * stride]) - first_key_ < k) ++i;
      start_[k] = static_cast<std::uint32_t>(i);
    }
  }

  /// Interval i with grid[i] <= e < grid[i + 1]; the first or last one for energies outside.
  std::size_t find(const double* grid, double e) const noexcept {
    if (!(e > grid[0])) return 0;
    if (e >= grid[(count_ - 1) * stride_]) return count_ - 2;
    const std::uint64_t k = key(e) - first_key_;
    // Points of keys before k are below e, those of keys after k are above it.
    const double* base = grid + start_[k] * stride_;
    std::size_t length = start_[k + 1] - start_[k];
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

 private:
  static constexpr int mantissa_bits = 8;
  static std::uint64_t key(double e) noexcept {
    return std::bit_cast<std::uint64_t>(e) >> (52 - mantissa_bits);
  }

  std::size_t count_ = 0, stride_ = 1;
  std::uint64_t first_key_ = 0;
  std::vector<std::uint32_t> start_;  ///< first point with at least this key
};

}  // namespace taihu::neutron
