// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/operations.h"

#include <array>
#include <type_traits>

namespace taihu::collective {

namespace {

// The type in which sums and products of T are computed: unsigned for integers, so that overflow wraps
// around.
template <class T>
struct Arithmetic {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct Arithmetic<T> {
  using type = std::conditional_t<(sizeof(T) <= sizeof(unsigned)), unsigned, unsigned long long>;
};
template <class T>
using ArithmeticOf = typename Arithmetic<T>::type;

struct Sum {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(static_cast<ArithmeticOf<T>>(left) + static_cast<ArithmeticOf<T>>(right));
  }
};
struct Product {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(static_cast<ArithmeticOf<T>>(left) * static_cast<ArithmeticOf<T>>(right));
  }
};
struct Minimum {
  template <class T>
  static T apply(T left, T right) {
    return right < left ? right : left;
  }
};
struct Maximum {
  template <class T>
  static T apply(T left, T right) {
    return left < right ? right : left;
  }
};
struct BitAnd {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left & right);
  }
};
struct BitOr {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left | right);
  }
};
struct BitXor {
  template <class T>
  static T apply(T left, T right) {
    return static_cast<T>(left ^ right);
  }
};
struct MinimumLocation {
  template <class T>
  static T apply(const T& left, const T& right) {
    if (left.value == right.value) return left.index < right.index ? left : right;
    return right.value < left.value ? right : left;
  }
};
struct MaximumLocation {
  template <class T>
  static T apply(const T& left, const T& right) {
    if (left.value == right.value) return left.index < right.index ? left : right;
    return left.value < right.value ? right : left;
  }
};

template <class T, class Operation>
void combine(void* target, const void* left, const void* right, std::size_t count, const void*) {
  T* out = static_cast<T*>(target);
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
// An element depends on no other: arrays are either the same or apart.
#pragma GCC ivdep
  for (std::size_t k = 0; k < count; ++k) out[k] = Operation::apply(a[k], b[k]);
}

constexpr std::size_t types = M_DOUBLE_INT + 1;
constexpr std::size_t operations = M_MAXLOC + 1;

struct TypeEntry {
  std::size_t bytes = 0;
  std::array<Combine, operations> combine{};
};

template <class T>
constexpr TypeEntry number() {
  TypeEntry entry;
  entry.bytes = sizeof(T);
  entry.combine[M_SUM] = combine<T, Sum>;
  entry.combine[M_PROD] = combine<T, Product>;
  entry.combine[M_MIN] = combine<T, Minimum>;
  entry.combine[M_MAX] = combine<T, Maximum>;
  if constexpr (std::is_integral_v<T>) {
    entry.combine[M_AND] = combine<T, BitAnd>;
    entry.combine[M_OR] = combine<T, BitOr>;
    entry.combine[M_XOR] = combine<T, BitXor>;
  }
  return entry;
}

template <class T>
constexpr TypeEntry pair() {
  TypeEntry entry;
  entry.bytes = sizeof(T);
  entry.combine[M_MINLOC] = combine<T, MinimumLocation>;
  entry.combine[M_MAXLOC] = combine<T, MaximumLocation>;
  return entry;
}

constexpr std::array<TypeEntry, types> make_table() {
  std::array<TypeEntry, types> table{};
  table[M_CHAR] = number<char>();
  table[M_SIGNED_CHAR] = number<signed char>();
  table[M_UNSIGNED_CHAR] = number<unsigned char>();
  table[M_SHORT] = number<short>();
  table[M_UNSIGNED_SHORT] = number<unsigned short>();
  table[M_INT] = number<int>();
  table[M_UNSIGNED] = number<unsigned>();
  table[M_LONG] = number<long>();
  table[M_UNSIGNED_LONG] = number<unsigned long>();
  table[M_LONG_LONG] = number<long long>();
  table[M_UNSIGNED_LONG_LONG] = number<unsigned long long>();
  table[M_FLOAT] = number<float>();
  table[M_DOUBLE] = number<double>();
  table[M_INT_INT] = pair<m_int_int>();
  table[M_LONG_INT] = pair<m_long_int>();
  table[M_FLOAT_INT] = pair<m_float_int>();
  table[M_DOUBLE_INT] = pair<m_double_int>();
  return table;
}

constexpr std::array<TypeEntry, types> table = make_table();

}  // namespace

std::size_t type_bytes(m_type_t type) noexcept {
  const auto index = static_cast<std::size_t>(type);
  return index < types ? table[index].bytes : 0;
}

std::optional<Reduction> find_reduction(m_type_t type, m_op_t op) noexcept {
  const auto row = static_cast<std::size_t>(type);
  const auto column = static_cast<std::size_t>(op);
  if (row >= types || column >= operations || table[row].combine[column] == nullptr) return std::nullopt;
  return Reduction{.combine = table[row].combine[column],
                   .element_bytes = table[row].bytes,
                   .code = static_cast<std::uint32_t>(row * 256 + column + 1)};
}

}  // namespace taihu::collective
