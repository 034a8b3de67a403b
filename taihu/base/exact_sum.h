// SPDX-License-Identifier: Apache-2.0
// Sums of doubles that do not depend on the order of their terms: long fixed-point numbers. Adding integers
// is associative, so any split of the terms over threads and ranks gives the same bits. The width, in bits,
// follows from the terms and from how many sums there are:
//   ExactSum<2144>  the whole range of double, without rounding; 544 bytes, an addition costs about 5 ns. For
//                   a few sums of any numbers. (Kulisch: Computer Arithmetic and Validity, on the long
//                   accumulator.)
//   ExactSum<128>   two words, for millions of sums of numbers of known size: a term is rounded to a whole
//   number
//                   of units of 2^-72.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace taihu {

/// Both widths: add(), +=, value(), clear(), ==. Plain values: may be copied byte by byte, also to other
/// ranks.
template <int bits>
class ExactSum;

namespace detail {

/// A double as IEEE 754 stores it: (-1)^negative * mantissa * 2^(max(exponent, 1) - 1075), unless the
/// exponent is `not_finite`.
struct BinaryParts {
  static constexpr int not_finite = 0x7ff;
  std::uint64_t mantissa;
  int exponent;
  bool negative;
};

inline BinaryParts parts_of(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t leading = std::uint64_t{exponent != 0} << 52;
  return {(bits & ((std::uint64_t{1} << 52) - 1)) | leading, exponent, bits >> 63 != 0};
}

}  // namespace detail

/// At most 2^30 terms.
template <>
class ExactSum<2144> {
 public:
  void add(double term) noexcept {
    const auto [mantissa, exponent, negative] = detail::parts_of(term);
    if (exponent == detail::BinaryParts::not_finite) {
      const bool is_infinite = mantissa == std::uint64_t{1} << 52;
      digits_[not_finite] += !is_infinite ? plus_infinity + minus_infinity
                             : negative   ? minus_infinity
                                          : plus_infinity;
      return;
    }
    // term = mantissa x 2^(position - 1074), the lowest digit having weight 2^-1074.
    const int position = exponent == 0 ? 0 : exponent - 1;
    const unsigned __int128 shifted = static_cast<unsigned __int128>(mantissa) << (position % 32);
    const std::int64_t sign = negative ? -1 : 1;
    std::int64_t* digit = &digits_[position / 32];
    digit[0] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted));
    digit[1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 32));
    digit[2] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(shifted >> 64));
  }
  ExactSum& operator+=(const ExactSum& other) noexcept {
    for (std::size_t i = 0; i < digits_.size(); ++i) digits_[i] += other.digits_[i];
    return *this;
  }

  /// The digits of 32 bits, whose carries wait in the upper half of their words: sums over ranks may be taken
  /// element by element.
  std::span<std::int64_t> digits() noexcept { return digits_; }

  /// The sum, correct to the last bit but one; infinite or NaN where terms were, as IEEE 754 adds them.
  double value() const;
  void clear() noexcept { digits_ = {}; }
  /// Whether both hold the same number.
  bool operator==(const ExactSum& other) const;

 private:
  static constexpr int places = 67;          // 2098 bits + two digits of carries
  static constexpr int not_finite = places;  // counts terms that are not: a NaN as an infinity of each sign
  static constexpr std::int64_t plus_infinity = 1, minus_infinity = std::int64_t{1} << 31;
  using Digits = std::array<std::int64_t, places + 1>;
  static bool normalise(const Digits& digits, int sign, Digits& normal);

  Digits digits_{};
};

/// Terms below 2^-72 (2e-22) vanish. The sum of the absolute terms must stay below 2^54 (1.8e16).
template <>
class ExactSum<128> {
 public:
  void add(double term) noexcept {
    const auto [mantissa, exponent, negative] = detail::parts_of(term);
    if (exponent == 0) return;                          // zero or denormal
    const int shift = exponent - 1075 + fraction_bits;  // the term is mantissa * 2^shift units
    if (shift < -63) return;
    const auto whole = static_cast<__int128>(mantissa);
    const __int128 units = shift >= 0 ? whole << (shift < 74 ? shift : 74) : whole >> -shift;
    units_ += negative ? -units : units;
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

  /// The sum of the rounded terms, rounded once.
  double value() const noexcept { return static_cast<double>(units_) * 0x1.0p-72; }
  void clear() noexcept { units_ = 0; }
  bool operator==(const ExactSum&) const = default;

 private:
  static constexpr int fraction_bits = 72;
  using Word [[gnu::may_alias]] = std::uint64_t;
  __int128 units_ = 0;
};

}  // namespace taihu
