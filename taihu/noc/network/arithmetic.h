// SPDX-License-Identifier: Apache-2.0
// The operations of a level-1 router's arithmetic unit on 8-byte words: the same functions compute inside
// routers, in the software of cores and in the reference that results are compared with.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace taihu::noc {

enum class Arithmetic : std::uint8_t {
  add_double,
  multiply_double,
  min_double,
  max_double,
  add_int,
  min_int,
  max_int,
  bit_and,
  bit_or,
  bit_xor
};
inline constexpr int arithmetics = 10;

/// left (op) right. Doubles: IEEE 754, round to nearest even. min takes right where right < left, else left
/// (so an unordered pair gives left); max takes right where left < right. Integers: two's complement, sums
/// wrap.
inline std::uint64_t combine(Arithmetic operation, std::uint64_t left, std::uint64_t right) noexcept {
  const auto real = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  const auto whole = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  switch (operation) {
    case Arithmetic::add_double:
      return std::bit_cast<std::uint64_t>(real(left) + real(right));
    case Arithmetic::multiply_double:
      return std::bit_cast<std::uint64_t>(real(left) * real(right));
    case Arithmetic::min_double:
      return real(right) < real(left) ? right : left;
    case Arithmetic::max_double:
      return real(left) < real(right) ? right : left;
    case Arithmetic::add_int:
      return left + right;
    case Arithmetic::min_int:
      return whole(right) < whole(left) ? right : left;
    case Arithmetic::max_int:
      return whole(left) < whole(right) ? right : left;
    case Arithmetic::bit_and:
      return left & right;
    case Arithmetic::bit_or:
      return left | right;
    case Arithmetic::bit_xor:
      return left ^ right;
  }
  return left;
}

/// Names as in configurations: "sum", "prod", "min", "max" (doubles), "sum-int", "min-int", "max-int", "and",
/// "or", "xor".
std::optional<Arithmetic> arithmetic_named(std::string_view name) noexcept;
const char* to_text(Arithmetic operation) noexcept;

}  // namespace taihu::noc
