// SPDX-License-Identifier: Apache-2.0
// Every pair of type and operation against its definition, element by element.
#include "taihu/collective/operations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "taihu/base/random.h"

namespace taihu::collective {
namespace {

constexpr std::size_t count = 67;  // no multiple of a vector

// What `op` means for numbers, in exact arithmetic of 64 bits cut to T, or in T itself for floating point.
template <class T>
T plain(m_op_t op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    if (op == M_SUM) return static_cast<T>(x + y);
    if (op == M_PROD) return static_cast<T>(x * y);
    if (op == M_AND) return static_cast<T>(x & y);
    if (op == M_OR) return static_cast<T>(x | y);
    if (op == M_XOR) return static_cast<T>(x ^ y);
  } else {
    if (op == M_SUM) return a + b;
    if (op == M_PROD) return a * b;
  }
  return op == M_MIN ? std::min(a, b) : std::max(a, b);
}

template <class T>
class Numbers : public testing::Test {};

template <class T, m_type_t code>
struct Typed {
  using type = T;
  static constexpr m_type_t type_code = code;
};

using NumberTypes =
    testing::Types<Typed<char, M_CHAR>, Typed<signed char, M_SIGNED_CHAR>,
                   Typed<unsigned char, M_UNSIGNED_CHAR>, Typed<short, M_SHORT>,
                   Typed<unsigned short, M_UNSIGNED_SHORT>, Typed<int, M_INT>, Typed<unsigned, M_UNSIGNED>,
                   Typed<long, M_LONG>, Typed<unsigned long, M_UNSIGNED_LONG>, Typed<long long, M_LONG_LONG>,
                   Typed<unsigned long long, M_UNSIGNED_LONG_LONG>, Typed<float, M_FLOAT>,
                   Typed<double, M_DOUBLE>>;
TYPED_TEST_SUITE(Numbers, NumberTypes);

TYPED_TEST(Numbers, OperationsAreTheirDefinitionsAlsoInPlace) {
  using T = typename TypeParam::type;
  EXPECT_EQ(type_bytes(TypeParam::type_code), sizeof(T));
  Random random(7);
  std::vector<T> a(count);
  std::vector<T> b(count);
  for (std::size_t k = 0; k < count; ++k) {
    a[k] = static_cast<T>(static_cast<std::int64_t>(random.next()));
    b[k] = static_cast<T>(static_cast<std::int64_t>(random.next()));
  }
  a[0] = std::numeric_limits<T>::max();
  b[0] = std::numeric_limits<T>::max();
  a[1] = std::numeric_limits<T>::lowest();
  b[1] = std::numeric_limits<T>::lowest();
  for (int code = M_SUM; code <= M_MAXLOC; ++code) {
    const auto op = static_cast<m_op_t>(code);
    const auto reduction = find_reduction(TypeParam::type_code, op);
    const bool is_bits = op == M_AND || op == M_OR || op == M_XOR;
    const bool is_valid = op < M_MINLOC && (!is_bits || std::is_integral_v<T>);
    ASSERT_EQ(reduction.has_value(), is_valid) << "operation " << code;
    if (!is_valid) continue;
    EXPECT_EQ(reduction->element_bytes, sizeof(T));
    std::vector<T> apart(count + 1, T(1));
    std::vector<T> in_left = a;
    std::vector<T> in_right = b;
    (*reduction)(apart.data(), a.data(), b.data(), count);
    (*reduction)(in_left.data(), in_left.data(), b.data(), count);
    (*reduction)(in_right.data(), a.data(), in_right.data(), count);
    for (std::size_t k = 0; k < count; ++k) {
      const T expected = plain(op, a[k], b[k]);
      ASSERT_EQ(apart[k], expected) << "operation " << code << " element " << k;
      ASSERT_EQ(in_left[k], expected);
      ASSERT_EQ(in_right[k], expected);
    }
    EXPECT_EQ(apart[count], T(1)) << "wrote behind the end";
  }
}

template <class Pair>
void check_pairs(m_type_t type) {
  EXPECT_EQ(type_bytes(type), sizeof(Pair));
  for (int code = M_SUM; code <= M_XOR; ++code) {
    EXPECT_FALSE(find_reduction(type, static_cast<m_op_t>(code)).has_value());
  }
  const auto minimum = find_reduction(type, M_MINLOC);
  const auto maximum = find_reduction(type, M_MAXLOC);
  ASSERT_TRUE(minimum && maximum);
  const auto combined = [](const Reduction& reduction, Pair a, Pair b) {
    Pair result{};
    reduction(&result, &a, &b, 1);
    return std::pair(result.value, result.index);
  };
  using Expected = decltype(combined(*minimum, Pair{}, Pair{}));
  EXPECT_EQ(combined(*minimum, Pair{1, 5}, Pair{2, 3}), Expected(1, 5));
  EXPECT_EQ(combined(*minimum, Pair{2, 3}, Pair{1, 5}), Expected(1, 5));
  EXPECT_EQ(combined(*maximum, Pair{1, 5}, Pair{2, 3}), Expected(2, 3));
  EXPECT_EQ(combined(*maximum, Pair{2, 3}, Pair{1, 5}), Expected(2, 3));
  for (const auto& reduction : {*minimum, *maximum}) {
    EXPECT_EQ(combined(reduction, Pair{4, 9}, Pair{4, 8}), Expected(4, 8));
    EXPECT_EQ(combined(reduction, Pair{4, 8}, Pair{4, 9}), Expected(4, 8));
  }
}

TEST(Pairs, TakeTheLowerIndexOfEqualValues) {
  check_pairs<m_int_int>(M_INT_INT);
  check_pairs<m_long_int>(M_LONG_INT);
  check_pairs<m_float_int>(M_FLOAT_INT);
  check_pairs<m_double_int>(M_DOUBLE_INT);
}

TEST(Operations, KnowWhatIsNoTypeAndNoOperation) {
  EXPECT_EQ(type_bytes(static_cast<m_type_t>(M_DOUBLE_INT + 1)), 0u);
  EXPECT_FALSE(find_reduction(static_cast<m_type_t>(M_DOUBLE_INT + 1), M_SUM));
  EXPECT_FALSE(find_reduction(static_cast<m_type_t>(-1), M_SUM));
  EXPECT_FALSE(find_reduction(M_INT, static_cast<m_op_t>(M_MAXLOC + 1)));
}

}  // namespace
}  // namespace taihu::collective
