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

TEST(Formatted, OneLineShowsWhatIsNoText) {
  EXPECT_EQ(one_line("as it is: \"x\""), "as it is: \"x\"");
  EXPECT_EQ(one_line("a\nb\tc\x1b[2J\x7f"), "a\\nb\\tc\\x1b[2J\\x7f");
  EXPECT_EQ(one_line("0123456789", 9), "012345...789");
  EXPECT_EQ(one_line("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4), "\xc3\xa4...") << "no half characters";
  EXPECT_LT(one_line(std::string(200000, 'x')).size(), 310u);
  EXPECT_LE(one_line(std::string(200000, '\x12')).size(), 303u) << "what is shown counts, not what was given";
  EXPECT_LE(one_line(std::string(299, '\x12')).size(), 303u);
  EXPECT_LE(one_line(std::string(299, '\x80')).size(), 303u) << "bytes that begin no character";
  EXPECT_EQ(one_line(std::string(300, 'x')), std::string(300, 'x'));
}

}  // namespace
}  // namespace taihu
