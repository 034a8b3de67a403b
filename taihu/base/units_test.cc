// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/units.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu {
namespace {

TEST(ParseBytes, AcceptsPlainNumbersAndSuffixes) {
  EXPECT_EQ(parse_bytes("0", "size"), 0);
  EXPECT_EQ(parse_bytes("4096", "size"), 4096);
  EXPECT_EQ(parse_bytes("64K", "size"), 65536);
  EXPECT_EQ(parse_bytes("2MiB", "size"), 2 << 20);
  EXPECT_EQ(parse_bytes("1g", "size"), 1 << 30);
}

TEST(ParseBytes, RefusesWhatIsNotASizeAndSaysWhere) {
  for (const char* bad : {"", "K", "-1", "1.5K", "64Q", "64KBX", "9223372036854775807K"}) {
    try {
      parse_bytes(bad, "--spm");
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("--spm"), std::string::npos);
    }
  }
}

TEST(FormatBytes, KeepsAtMostOneDecimal) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(3 << 19), "1.5 MiB");
}

}  // namespace
}  // namespace taihu
