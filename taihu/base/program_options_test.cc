// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/program_options.h"

#include <gtest/gtest.h>

namespace taihu {
namespace {

/// What a program with two commands, of which one needs an option, says about these words.
std::string refused(std::vector<const char*> words) {
  CLI::App app("An example", "example");
  app.set_version_flag("--version", "example 1");
  app.require_subcommand(1);
  int size = 0;
  CLI::App* solve = app.add_subcommand("solve", "");
  solve->add_option("--size", size)->required();
  app.add_subcommand("model", "")->add_flag("-q,--quick");
  words.insert(words.begin(), "example");
  try {
    return parse_command_line(app, static_cast<int>(words.size()), const_cast<char**>(words.data())) ? "ran"
                                                                                                     : "told";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(ProgramOptions, AMisspeltWordIsNamedFirst) {
  EXPECT_EQ(refused({"solve", "--size", "3"}), "ran");
  EXPECT_EQ(refused({"model", "-q"}), "ran");
  EXPECT_EQ(refused({"solve", "--sise", "3"}), "unknown option --sise (did you mean --size?)");
  EXPECT_EQ(refused({"model", "--quik=1"}), "unknown option --quik (did you mean --quick?)");
  EXPECT_EQ(refused({"solv", "--size", "3"}), "unknown command solv (did you mean solve?)");
  EXPECT_EQ(refused({"--vresion"}), "unknown option --vresion (did you mean --version?)");
}

TEST(ProgramOptions, OtherMistakesAreCLI11s) {
  EXPECT_EQ(refused({}), "A subcommand is required");
  EXPECT_EQ(refused({"solve"}), "--size is required");
  EXPECT_NE(refused({"solve", "--size", "big"}).find("big"), std::string::npos);
  EXPECT_NE(refused({"model", "more"}).find("more"), std::string::npos);
}

TEST(ProgramOptions, HelpAndVersionGoToStandardOutput) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(refused({"--version"}), "told");
  EXPECT_EQ(refused({"solve", "--help"}), "told");
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(text.starts_with("example 1\n"));
  EXPECT_NE(text.find("--size"), std::string::npos);
}

}  // namespace
}  // namespace taihu
