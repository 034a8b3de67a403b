// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/random.h"

#include <gtest/gtest.h>

namespace taihu {
namespace {

TEST(Random, IsTheReferenceSequence) {
  Random random(1234567);  // first numbers of SplitMix64 for this seed, from its reference implementation
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
}

TEST(Random, StaysInItsRange) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(7), 7u);
    const double value = random.uniform();
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
  }
}

}  // namespace
}  // namespace taihu
