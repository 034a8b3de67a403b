// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/formatted.h"

#include <gtest/gtest.h>

namespace taihu {
namespace {

TEST(Formatted, IsWhatPrintfWouldWriteOfAnyLength) {
  EXPECT_EQ(formatted("nothing"), "nothing");
  EXPECT_EQ(formatted("%s", ""), "");
  EXPECT_EQ(formatted("%-4d|%6.2f", 7, 1.5), "7   |  1.50");
  const std::string longer(100000, 'x');
  EXPECT_EQ(formatted("%s%d", longer.c_str(), 1), longer + "1");
}

}  // namespace
}  // namespace taihu
