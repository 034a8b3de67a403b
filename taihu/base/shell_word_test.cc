// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/shell_word.h"

#include <gtest/gtest.h>

namespace taihu {
namespace {

TEST(ShellWord, HasQuotesWhereItNeedsThem) {
  EXPECT_EQ(shell_word("plain-1=/x:y"), "plain-1=/x:y");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word("*"), "'*'");
}

}  // namespace
}  // namespace taihu
