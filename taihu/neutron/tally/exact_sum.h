// SPDX-License-Identifier: Apache-2.0
// Sums of doubles that do not depend on the order of the terms.
//
// A term is rounded to a whole number of units of 2^-72 and added as a 128-bit integer. Integer addition is
// associative, so any split of the terms over threads and ranks gives the same bits. Terms below 2^-72
// (2e-22) vanish; the sum of the absolute terms must stay below 2^54 (1.8e16).
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>

namespace taihu::neutron {

class ExactSum {
 public:
  void add(double term) noexcept {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(term);
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
    if (exponent == 0) return;  // zero or denormal
    const auto mantissa = static_cast<__int128>((bits & 0xfffffffffffffULL) | 0x10000000000000ULL);
    const int shift = exponent - 1075 + fraction_bits;  // the term is mantissa * 2^shift units
    if (shift < -63) return;
    const __int128 units = shift >= 0 ? mantissa << (shift < 74 ? shift : 74) : mantissa >> -shift;
    units_ += bits >> 63 ? -units : units;
  }

  ExactSum& operator+=(const ExactSum& other) noexcept {
    units_ += other.units_;
    return *this;
  }

  /// += where other threads add to this sum at the same time, all by this function.
  void add_atomically(const ExactSum& other) noexcept {
    static_assert(std::endian::native == std::endian::little);
    if (other.units_ == 0) return;
    auto* const words = reinterpret_cast<Word*>(&units_);
    const auto low = static_cast<std::uint64_t>(other.units_);
    const std::uint64_t before = __atomic_fetch_add(words, low, __ATOMIC_RELAXED);
    const std::uint64_t carry = before + low < before ? 1 : 0;
    const std::uint64_t high = static_cast<std::uint64_t>(other.units_ >> 64) + carry;
    if (high != 0) __atomic_fetch_add(words + 1, high, __ATOMIC_RELAXED);
  }

  double value() const noexcept { return static_cast<double>(units_) * 0x1.0p-72; }
  void clear() noexcept { units_ = 0; }
  bool operator==(const ExactSum&) const = default;

 private:
  static constexpr int fraction_bits = 72;
  using Word [[gnu::may_alias]] = std::uint64_t;
  __int128 units_ = 0;
};

}  // namespace taihu::neutron
