// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/exact_sum.h"

#include <cmath>
#include <limits>

namespace taihu {

// Moves the carries of `sign` times the digits upwards, so that all but the highest lie in 0 .. 2^32 - 1; the
// number then has the sign of the highest one. False: it is negative.
bool ExactSum<2144>::normalise(const Digits& digits, int sign, Digits& normal) {
  std::int64_t carry = 0;
  for (int i = 0; i < places; ++i) {
    const std::int64_t digit = sign * digits[i] + carry;
    carry = digit >> 32;
    normal[i] = digit & 0xffffffff;
  }
  normal[places] = carry;
  return carry >= 0;
}

double ExactSum<2144>::value() const {
  if (digits_[not_finite] != 0) {
    const bool plus = digits_[not_finite] % minus_infinity != 0;
    const bool minus = digits_[not_finite] >= minus_infinity;
    const double infinity = std::numeric_limits<double>::infinity();
    return plus && minus ? std::numeric_limits<double>::quiet_NaN() : plus ? infinity : -infinity;
  }
  Digits digits{};
  double sign = 1;
  if (!normalise(digits_, 1, digits)) {
    sign = -1;
    normalise(digits_, -1, digits);
  }
  int top = places;
  while (top >= 0 && digits[top] == 0) --top;
  if (top < 0) return 0;
  // The four highest digits have at least 97 bits, more than the result shows.
  double result = 0;
  const int lowest = top >= 3 ? top - 3 : 0;
  for (int i = lowest; i <= top; ++i) result += std::ldexp(static_cast<double>(digits[i]), 32 * i - 1074);
  return sign * result;
}

bool ExactSum<2144>::operator==(const ExactSum& other) const {
  Digits mine{}, theirs{};
  normalise(digits_, 1, mine);
  normalise(other.digits_, 1, theirs);
  return mine == theirs && digits_[not_finite] == other.digits_[not_finite];
}

}  // namespace taihu
