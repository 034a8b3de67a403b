// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/join_options.h"

#include <gtest/gtest.h>

namespace taihu::compiler {
namespace {

std::vector<CompilerOption> stored(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  return read_stored_options(text);
}

TEST(JoinOptions, FindsVersionAndOptionsOfCode) {
  const auto options =
      stored({"-cc1", "-target-cpu", "x86-64", "-plugin-arg-parallelc", "version=1.0", "-D", "N=1", "-I", ".",
              "-O2", "-mllvm", "-taihu-auto-dma", "-main-file-name", "a.c"});
  EXPECT_EQ(version_of(options), "1.0");
  EXPECT_EQ(version_of(stored({"-cc1", "-O2"})), "");
  EXPECT_FALSE(are_of_several(options));
  EXPECT_TRUE(are_of_several(
      stored({"-plugin-arg-parallelc", "version=1.0", "-O2", "-plugin-arg-parallelc", "version=1.0"})));
  EXPECT_EQ(options_of_code(options),
            (std::vector<CompilerOption>{{"-target-cpu", "x86-64"}, {"-O2"}, {"-mllvm", "-taihu-auto-dma"}}));
  EXPECT_TRUE(read_stored_options("").empty());
}

TEST(JoinOptions, SaysHowFilesDiffer) {
  const auto two = stored({"-O2"}), three = stored({"-O3"}), more = stored({"-O2", "-mllvm", "-x"});
  EXPECT_EQ(difference(two, two), "");
  EXPECT_EQ(difference(three, two), "with -O3 instead of -O2");
  EXPECT_EQ(difference(more, two), "with -mllvm -x");
  EXPECT_EQ(difference(two, more), "without -mllvm -x");
  const auto rising = stored({"-mllvm", "-x=1", "-mllvm", "-y", "-mllvm", "-x=2"});
  EXPECT_EQ(difference(stored({"-mllvm", "-y", "-mllvm", "-x=1", "-mllvm", "-x=2"}), rising), "");
  EXPECT_EQ(difference(stored({"-mllvm", "-x=2", "-mllvm", "-x=1", "-mllvm", "-y"}), rising),
            "with -mllvm -x=2 -mllvm -x=1 in another order");
  EXPECT_EQ(
      difference(stored({"-mllvm", "-x=2", "-mllvm", "-x=1", "-mllvm", "-x=2", "-mllvm", "-y"}), rising),
      "with -mllvm -x=2 -mllvm -x=1 -mllvm -x=2 in another order");
  EXPECT_EQ(difference(stored({"-target-feature", "+a", "-target-feature", "-a"}),
                       stored({"-target-feature", "-a", "-target-feature", "+a"})),
            "with -target-feature +a -target-feature -a in another order");
}

}  // namespace
}  // namespace taihu::compiler
