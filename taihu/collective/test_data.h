// SPDX-License-Identifier: Apache-2.0
// For tests: typed sources that are functions of (member, element, seed), and sequential reference results.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "taihu/base/bytes_for_tests.h"
#include "taihu/collective/operations.h"

namespace taihu::collective {

struct Typing {
  m_type_t type;
  m_op_t op;
};

/// All valid pairs.
inline std::vector<Typing> all_typings() {
  std::vector<Typing> all;
  for (int type = M_CHAR; type <= M_DOUBLE_INT; ++type) {
    for (int op = M_SUM; op <= M_MAXLOC; ++op) {
      const Typing typing{static_cast<m_type_t>(type), static_cast<m_op_t>(op)};
      if (find_reduction(typing.type, typing.op)) all.push_back(typing);
    }
  }
  return all;
}

/// Elements of any type in raw memory, aligned as malloc does.
using Elements = Bytes;

/// The first number of Random (taihu/base/random.h). Without an object, because most of the time of many
/// tests is spent here where nothing is optimised.
inline std::uint64_t draw(int member, std::size_t element, std::uint64_t seed) {
  std::uint64_t mixed =
      seed * 1000003 + static_cast<std::uint64_t>(member) * 7919 + element + 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

/// Values so small that sums and products of 33 members are exact in every type (or wrap around alike).
template <class T>
T small_value(std::uint64_t random, m_op_t op) {
  return static_cast<T>(op == M_PROD ? 1 + random % 2 : random % 100);
}

template <class T>
void fill_numbers(Elements& out, int member, m_op_t op, std::uint64_t seed) {
  auto* elements = reinterpret_cast<T*>(out.data());
  const std::size_t count = out.size() / sizeof(T);
  for (std::size_t k = 0; k < count; ++k) elements[k] = small_value<T>(draw(member, k, seed), op);
}

/// Few different values, so that ties are frequent.
template <class Pair>
void fill_pairs(Elements& out, int member, std::uint64_t seed) {
  auto* elements = reinterpret_cast<Pair*>(out.data());
  for (std::size_t k = 0; k < out.size() / sizeof(Pair); ++k) {
    const std::uint64_t random = draw(member, k, seed);
    elements[k].value = static_cast<decltype(elements[k].value)>(random % 3);
    elements[k].index = static_cast<int>(random / 3 % 50);
  }
}

inline Elements make_source(int member, std::size_t count, Typing typing, std::uint64_t seed) {
  Elements out(count * type_bytes(typing.type));
  switch (typing.type) {
    case M_CHAR:
      fill_numbers<char>(out, member, typing.op, seed);
      break;
    case M_SIGNED_CHAR:
      fill_numbers<signed char>(out, member, typing.op, seed);
      break;
    case M_UNSIGNED_CHAR:
      fill_numbers<unsigned char>(out, member, typing.op, seed);
      break;
    case M_SHORT:
      fill_numbers<short>(out, member, typing.op, seed);
      break;
    case M_UNSIGNED_SHORT:
      fill_numbers<unsigned short>(out, member, typing.op, seed);
      break;
    case M_INT:
      fill_numbers<int>(out, member, typing.op, seed);
      break;
    case M_UNSIGNED:
      fill_numbers<unsigned>(out, member, typing.op, seed);
      break;
    case M_LONG:
      fill_numbers<long>(out, member, typing.op, seed);
      break;
    case M_UNSIGNED_LONG:
      fill_numbers<unsigned long>(out, member, typing.op, seed);
      break;
    case M_LONG_LONG:
      fill_numbers<long long>(out, member, typing.op, seed);
      break;
    case M_UNSIGNED_LONG_LONG:
      fill_numbers<unsigned long long>(out, member, typing.op, seed);
      break;
    case M_FLOAT:
      fill_numbers<float>(out, member, typing.op, seed);
      break;
    case M_DOUBLE:
      fill_numbers<double>(out, member, typing.op, seed);
      break;
    case M_INT_INT:
      fill_pairs<m_int_int>(out, member, seed);
      break;
    case M_LONG_INT:
      fill_pairs<m_long_int>(out, member, seed);
      break;
    case M_FLOAT_INT:
      fill_pairs<m_float_int>(out, member, seed);
      break;
    case M_DOUBLE_INT:
      fill_pairs<m_double_int>(out, member, seed);
      break;
  }
  return out;
}

template <class Pair>
bool equal_pairs(const Elements& a, const Elements& b) {
  const auto* left = reinterpret_cast<const Pair*>(a.data());
  const auto* right = reinterpret_cast<const Pair*>(b.data());
  for (std::size_t k = 0; k < a.size() / sizeof(Pair); ++k) {
    if (left[k].value != right[k].value || left[k].index != right[k].index) return false;
  }
  return true;
}

/// Compares values; padding of pairs does not count.
inline bool equal(const Elements& a, const Elements& b, m_type_t type) {
  if (a.size() != b.size()) return false;
  if (type == M_LONG_INT) return equal_pairs<m_long_int>(a, b);
  if (type == M_DOUBLE_INT) return equal_pairs<m_double_int>(a, b);
  return a == b;
}

/// source(0) (op) ... (op) source(members - 1), one after the other. The visitor sees what there is after
/// each of them.
template <class Visitor>
Elements reduce_and_visit(int members, std::size_t count, Typing typing, std::uint64_t seed,
                          Visitor visitor) {
  const Reduction reduction = *find_reduction(typing.type, typing.op);
  Elements all = make_source(0, count, typing, seed);
  visitor(std::as_const(all));
  for (int member = 1; member < members; ++member) {
    const Elements next = make_source(member, count, typing, seed);
    reduction(all.data(), all.data(), next.data(), count);
    visitor(std::as_const(all));
  }
  return all;
}

inline Elements reduce_plainly(int members, std::size_t count, Typing typing, std::uint64_t seed) {
  return reduce_and_visit(members, count, typing, seed, [](const Elements&) {});
}

/// reduce_plainly of 1, 2 ... members.
inline std::vector<Elements> reduce_upto_each(int members, std::size_t count, Typing typing,
                                              std::uint64_t seed) {
  std::vector<Elements> upto;
  reduce_and_visit(members, count, typing, seed, [&](const Elements& all) { upto.push_back(all); });
  return upto;
}

}  // namespace taihu::collective
