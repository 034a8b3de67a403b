// SPDX-License-Identifier: Apache-2.0
// The arithmetic unit against the host: every operation on all pairs of special values and on random pairs, a
// new pair every cycle.
#include <gtest/gtest.h>
#include <verilated.h>

#include <bit>
#include <cmath>
#include <deque>
#include <vector>

#include "Arithmetic1.h"
#include "Arithmetic6.h"
#include "taihu/base/random.h"
#include "taihu/noc/network/arithmetic.h"

namespace taihu::rtl {
namespace {

using noc::Arithmetic;

bool is_nan(std::uint64_t value) {
  return std::isnan(std::bit_cast<double>(value));
}

/// Where the result is a NaN, the unit gives one quiet NaN unless an operand is the result; the host keeps
/// some payloads.
std::uint64_t expected(Arithmetic operation, std::uint64_t left, std::uint64_t right) {
  const std::uint64_t host = noc::combine(operation, left, right);
  const bool rounds = operation == Arithmetic::add_double || operation == Arithmetic::multiply_double;
  return rounds && is_nan(host) ? 0x7ff8000000000000 : host;
}

struct Pair {
  Arithmetic operation;
  std::uint64_t left, right;
};

/// Feeds pairs and compares results `cycles` - 1 clock edges later.
template <class Model, int cycles>
class Unit {
 public:
  ~Unit() { model_.final(); }
  bool feed(const Pair& pair) {
    under_way_.push_back(pair);
    model_.operation_i = static_cast<std::uint8_t>(pair.operation);
    model_.left_i = pair.left;
    model_.right_i = pair.right;
    model_.clk_i = 0;
    model_.eval();
    bool same = true;
    if (under_way_.size() == cycles) {
      const Pair done = under_way_.front();
      under_way_.pop_front();
      const std::uint64_t wanted = expected(done.operation, done.left, done.right);
      same = model_.result_o == wanted;
      EXPECT_EQ(model_.result_o, wanted) << std::hex << done.left << " " << to_text(done.operation) << " "
                                         << done.right << " gave " << model_.result_o;
    }
    model_.clk_i = 1;
    model_.eval();
    return same;
  }

 private:
  Model model_;
  std::deque<Pair> under_way_;
};

std::vector<std::uint64_t> special_values() {
  const double real[] = {0.0, 1.0, 1.5, 2.0, 0.1, 3.0, 1e300, 1e-300, 4503599627370496.0, 9007199254740993.0};
  std::vector<std::uint64_t> values;
  for (const double each : real) values.push_back(std::bit_cast<std::uint64_t>(each));
  const std::uint64_t others[] = {
      0x0000000000000001, 0x0000000000000002, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001,
      0x001fffffffffffff, 0x0020000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3ca0000000000000,
      0x3ca0000000000001, 0x3c90000000000000, 0x7fefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000,
      0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff, 0x0008000000000000, 0x1e60000000000000};
  values.insert(values.end(), std::begin(others), std::end(others));
  const std::size_t positive = values.size();
  for (std::size_t place = 0; place < positive; ++place) values.push_back(values[place] | 1ULL << 63);
  return values;
}

/// Bits of all kinds: any, near another value, with exponents near each other, of products near the smallest
/// numbers.
Pair random_pair(Random& random, Arithmetic operation) {
  Pair pair{operation, random.next(), random.next()};
  const auto exponent = [&](std::uint64_t value, std::uint64_t bits) {
    return (value & ~(0x7ffULL << 52)) | (bits & 0x7ff) << 52;
  };
  switch (random.below(5)) {
    case 0:
      break;
    case 1: {
      const std::uint64_t near = pair.left >> 52 & 0x7ff;
      pair.right = exponent(pair.right, near + random.below(120) - 60);
      break;
    }
    case 2:
      pair.right = pair.left ^ 1ULL << 63 ^ random.below(16) ^ random.below(2) << 52;
      break;
    case 3: {
      const std::uint64_t first = random.below(2047);
      pair.left = exponent(pair.left, first);
      pair.right = exponent(pair.right, 1023 + random.below(120) - 90 - first);
      break;
    }
    default:
      pair.left = exponent(pair.left, random.below(3));
      pair.right &= ~0ULL << random.below(60);
  }
  return pair;
}

template <class Model, int cycles>
void compare_with_host(std::uint64_t pairs) {
  Unit<Model, cycles> unit;
  const std::vector<std::uint64_t> special = special_values();
  for (int operation = 0; operation < noc::arithmetics; ++operation)
    for (const std::uint64_t left : special)
      for (const std::uint64_t right : special)
        if (!unit.feed({static_cast<Arithmetic>(operation), left, right})) return;
  Random random(17);
  for (std::uint64_t number = 0; number < pairs; ++number)
    for (const Arithmetic operation : {Arithmetic::add_double, Arithmetic::multiply_double})
      if (!unit.feed(random_pair(random, operation))) return;
  for (std::uint64_t number = 0; number < pairs; ++number) {
    const auto operation = static_cast<Arithmetic>(2 + random.below(noc::arithmetics - 2));
    if (!unit.feed(random_pair(random, operation))) return;
  }
  for (int rest = 1; rest < cycles; ++rest) unit.feed({Arithmetic::bit_or, 0, 0});
}

TEST(ArithmeticUnit, AgreesWithTheHost) {
  compare_with_host<Arithmetic6, 6>(1'000'000);
}

TEST(ArithmeticUnit, AgreesWithTheHostWithoutPipeline) {
  compare_with_host<Arithmetic1, 1>(50'000);
}

}  // namespace
}  // namespace taihu::rtl
