// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/operations.h"

#include <array>
#include <type_traits>

#include "taihu/collective/element_operations.h"

namespace taihu::collective {

namespace {

using namespace element;

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
  entry.combine[M_MINLOC] = combine_pairs<T, MinimumLocation>;
  entry.combine[M_MAXLOC] = combine_pairs<T, MaximumLocation>;
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

std::string reduction_text(std::uint32_t code) {
  constexpr std::array<const char*, types> type_names{
      "M_CHAR",     "M_SIGNED_CHAR", "M_UNSIGNED_CHAR", "M_SHORT",     "M_UNSIGNED_SHORT",     "M_INT",
      "M_UNSIGNED", "M_LONG",        "M_UNSIGNED_LONG", "M_LONG_LONG", "M_UNSIGNED_LONG_LONG", "M_FLOAT",
      "M_DOUBLE",   "M_INT_INT",     "M_LONG_INT",      "M_FLOAT_INT", "M_DOUBLE_INT"};
  constexpr std::array<const char*, operations> operation_names{
      "M_SUM", "M_PROD", "M_MIN", "M_MAX", "M_AND", "M_OR", "M_XOR", "M_MINLOC", "M_MAXLOC"};
  const std::size_t type = (code - 1) / 256, operation = (code - 1) % 256;
  if (type >= types || operation >= operations) return "an unknown reduction";
  return std::string(operation_names[operation]) + " of " + type_names[type];
}

}  // namespace taihu::collective
