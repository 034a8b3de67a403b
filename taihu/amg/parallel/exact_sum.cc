// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/exact_sum.h"

#include <cmath>
#include <limits>

namespace taihu::amg {

double ExactSum::value() const {
  if (digits_[unusable] != 0) return std::numeric_limits<double>::quiet_NaN();
  // Carries make all digits but the highest lie in 0 .. 2^32 - 1; the sign is that of the highest.
  std::array<std::int64_t, places + 2> digits{};
  const auto normalise = [&](int sign) {
    std::int64_t carry = 0;
    for (int i = 0; i < places; ++i) {
      const std::int64_t digit = sign * digits_[i] + carry;
      carry = digit >> 32;
      digits[i] = digit & 0xffffffff;
    }
    digits[places] = carry;
    return carry >= 0;
  };
  double sign = 1;
  if (!normalise(1)) {
    sign = -1;
    normalise(-1);
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

}  // namespace taihu::amg
