// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace taihu {
namespace {

/// Numbers of both signs between 2^-40 and 2^20, which both widths hold without rounding to less than 32
/// bits.
std::vector<double> terms(int count) {
  std::mt19937_64 random(5);
  std::vector<double> result;
  for (int i = 0; i < count; ++i)
    result.push_back(
        std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, static_cast<int>(random() % 60) - 92));
  return result;
}

template <class Sum>
class EveryExactSum : public testing::Test {};
using Widths = testing::Types<ExactSum<128>, ExactSum<2144>>;
TYPED_TEST_SUITE(EveryExactSum, Widths);

TYPED_TEST(EveryExactSum, OfNothingIsZero) {
  TypeParam sum;
  EXPECT_EQ(sum.value(), 0);
  for (const double zero : {0.0, -0.0}) sum.add(zero);
  EXPECT_EQ(sum, TypeParam());
}

TYPED_TEST(EveryExactSum, DoesNotDependOnTheOrder) {
  std::vector<double> numbers = terms(1001);
  TypeParam forward, backward, parts[3];
  long double plain = 0;
  for (const double term : numbers) forward.add(term), plain += term;
  for (std::size_t i = 0; i < numbers.size(); ++i) parts[i % 3].add(numbers[i]);
  std::reverse(numbers.begin(), numbers.end());
  for (const double term : numbers) backward.add(term);
  parts[0] += parts[2];
  parts[0] += parts[1];
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, parts[0]);
  EXPECT_EQ(forward.value(), parts[0].value());
  EXPECT_NEAR(forward.value(), static_cast<double>(plain), 1e-9 * std::fabs(static_cast<double>(plain)));
}

TYPED_TEST(EveryExactSum, KeepsWhatRoundingWouldLose) {
  TypeParam sum;
  for (const double term : {1e15, 0x1p-70, -1e15}) sum.add(term);
  EXPECT_EQ(sum.value(), 0x1p-70);
  sum.add(-0x1p-70);
  EXPECT_EQ(sum.value(), 0);
  sum.add(-2.5);
  EXPECT_EQ(sum.value(), -2.5);
  sum.clear();
  EXPECT_EQ(sum, TypeParam());
}

TYPED_TEST(EveryExactSum, EqualsAnotherWithTheSameNumber) {
  TypeParam once, twice;
  once.add(3.0);
  for (const double term : {4.0, -1.0}) twice.add(term);
  EXPECT_EQ(once, twice);
  twice.add(0x1p-72);
  EXPECT_NE(once, twice);
}

TEST(LongExactSum, HoldsTheWholeRangeOfDouble) {
  constexpr double largest = std::numeric_limits<double>::max(),
                   smallest = std::numeric_limits<double>::denorm_min();
  ExactSum<2144> sum;
  for (const double value : {largest, largest, -largest}) sum.add(value);
  EXPECT_EQ(sum.value(), largest);
  for (const double value : {-largest, 1e300, 1.0, -1e300, 1e-300, smallest}) sum.add(value);
  EXPECT_EQ(sum.value(), 1.0);
  sum.add(-1.0);
  EXPECT_EQ(sum.value(), 1e-300);
  sum.add(-1e-300);
  EXPECT_EQ(sum.value(), smallest);
  sum.add(-smallest);
  EXPECT_EQ(sum.value(), 0.0);
}

TEST(LongExactSum, IsInfiniteOrNotANumberAsTheTermsSay) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  const auto sum_of = [](const std::vector<double>& numbers) {
    ExactSum<2144> sum, part;
    sum.add(1);
    for (const double number : numbers) part.add(number);
    sum += part;
    return sum.value();
  };
  EXPECT_EQ(sum_of({infinity, -1e300, infinity}), infinity);
  EXPECT_EQ(sum_of({-infinity, 1e300, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, 5, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({no_number, 5})));
  EXPECT_TRUE(std::isnan(sum_of({-no_number, infinity})));
  EXPECT_TRUE(std::isnan(sum_of({-infinity, no_number})));
}

TEST(LongExactSum, OfRanksIsTheSumOfTheDigits) {
  ExactSum<2144> all, ranks[2];
  const std::vector<double> numbers = terms(501);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all.add(numbers[i]);
    ranks[i % 2].add(numbers[i]);
  }
  for (std::size_t i = 0; i < ranks[0].digits().size(); ++i) ranks[0].digits()[i] += ranks[1].digits()[i];
  EXPECT_EQ(ranks[0].value(), all.value());
}

TEST(ShortExactSum, ForgetsWhatIsBelowItsUnit) {
  ExactSum<128> sum;
  for (const double term : {5e-324, 1e-300, 0x1p-73, -0x1p-73}) sum.add(term);
  EXPECT_EQ(sum, ExactSum<128>());
  sum.add(0x1p-72);
  EXPECT_EQ(sum.value(), 0x1p-72);
}

TEST(ShortExactSum, AtomicAdditionsHaveTheBitsOfPlainOnes) {
  const std::vector<double> numbers = terms(100'000);
  ExactSum<128> plain, atomic;
  for (const double number : numbers) plain.add(number);
  const auto add_every_third = [&](std::size_t first) {
    for (std::size_t i = first; i < numbers.size(); i += 3) {
      ExactSum<128> one;
      one.add(numbers[i]);
      atomic.add_atomically(one);
    }
  };
  {
    const std::jthread second(add_every_third, 1), third(add_every_third, 2);
    add_every_third(0);
  }
  EXPECT_EQ(atomic, plain);
}

}  // namespace
}  // namespace taihu
