// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/error.h"

#include <gtest/gtest.h>

namespace taihu {
namespace {

TEST(Error, IsOneLineWhateverItQuotes) {
  EXPECT_STREQ("no such key 'a\\nb\\x00\\x1b[2J\\x7f'",
               Error("no such key '" + std::string("a\nb\0\033[2J\x7f", 9) + "'").what());
  EXPECT_STREQ("the name is 'Zoë\'s'", UsageError("the name is 'Zoë\'s'").what());
}

TEST(Error, ShowsBothEndsOfALongText) {
  const std::string text = Error("file:3: '" + std::string(200'000, 'x') + "' is no region").what();
  EXPECT_LT(text.size(), 2100u);
  EXPECT_TRUE(text.starts_with("file:3: 'xxx"));
  EXPECT_TRUE(text.ends_with("xxx' is no region"));
  EXPECT_NE(text.find("x...x"), text.npos) << text;
}

TEST(Error, ShowsDetailsAsTheyAre) {
  EXPECT_STREQ("stuck\nnode 1\nnode 2\n", Error("stuck", "node 1\nnode 2\n").what());
}

}  // namespace
}  // namespace taihu
