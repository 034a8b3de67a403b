// SPDX-License-Identifier: Apache-2.0
// The operations of reductions on single elements, and the loop over arrays of them. Languages choose from
// these for their types. A type of its own, such as complex numbers, needs + and *. Files that use these are
// compiled with -O3: at -O2 gcc leaves loops of unknown length scalar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace taihu::collective::element {

// 16-byte integers are extensions of the compilers.
__extension__ using Integer16 = __int128;
__extension__ using Unsigned16 = unsigned __int128;

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, Integer16>;

// The type in which sums and products of T are computed: unsigned for integers, so that overflow wraps
// around.
template <class T>
constexpr auto arithmetic(T value) noexcept {
  if constexpr (!is_integer<T>) {
    return value;
  } else if constexpr (sizeof(T) <= sizeof(unsigned)) {
    return static_cast<unsigned>(value);
  } else if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
    return static_cast<std::uint64_t>(value);
  } else {
    return static_cast<Unsigned16>(value);
  }
}

struct Sum {
  template <class T>
  static T apply(const T& left, const T& right) noexcept {
    return static_cast<T>(arithmetic(left) + arithmetic(right));
  }
};
struct Product {
  template <class T>
  static T apply(const T& left, const T& right) noexcept {
    return static_cast<T>(arithmetic(left) * arithmetic(right));
  }
};
struct Minimum {
  template <class T>
  static T apply(T left, T right) noexcept {
    return right < left ? right : left;
  }
};
struct Maximum {
  template <class T>
  static T apply(T left, T right) noexcept {
    return left < right ? right : left;
  }
};
struct BitAnd {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>(left & right);
  }
};
struct BitOr {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>(left | right);
  }
};
struct BitXor {
  template <class T>
  static T apply(T left, T right) noexcept {
    return static_cast<T>(left ^ right);
  }
};
struct MinimumLocation {
  template <class T>
  static bool prefers_left(const T& left, const T& right) noexcept {
    return left.value == right.value ? left.index < right.index : !(right.value < left.value);
  }
};
struct MaximumLocation {
  template <class T>
  static bool prefers_left(const T& left, const T& right) noexcept {
    return left.value == right.value ? left.index < right.index : !(left.value < right.value);
  }
};

/// A collective::Combine. `target` may be one of the operands.
template <class T, class Operation>
void combine(void* target, const void* left, const void* right, std::size_t count, const void*) {
  T* out = static_cast<T*>(target);
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
// An element depends on no other: arrays are either the same or apart.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::size_t k = 0; k < count; ++k) out[k] = Operation::apply(a[k], b[k]);
}

/// The same for pairs of a value and an index. Reads and writes members only: the memory of a program may end
/// where the last index does.
template <class Pair, class Location>
void combine_pairs(void* target, const void* left, const void* right, std::size_t count, const void*) {
  auto* out = static_cast<Pair*>(target);
  auto* a = static_cast<const Pair*>(left);
  auto* b = static_cast<const Pair*>(right);
  for (std::size_t k = 0; k < count; ++k) {
    const bool takes_left = Location::prefers_left(a[k], b[k]);
    const auto value = takes_left ? a[k].value : b[k].value;
    const auto index = takes_left ? a[k].index : b[k].index;
    out[k].value = value;
    out[k].index = index;
  }
}

}  // namespace taihu::collective::element
