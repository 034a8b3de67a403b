// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/program_options.h"

#include <gtest/gtest.h>

#include <sstream>

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

/// What a program reads from the values of its options, or "refused".
template <typename T>
std::string taken(const char* text) {
  CLI::App app;
  T value{};
  app.add_option("--value", value);
  const char* words[] = {"example", "--value", text};
  try {
    parse_command_line(app, 3, const_cast<char**>(words));
  } catch (const UsageError&) {
    return "refused";
  }
  std::ostringstream shown;
  shown << value;
  return shown.str();
}

TEST(ProgramOptions, NumbersAreDecimalAndFit) {
  EXPECT_EQ(taken<int>("010"), "10");
  EXPECT_EQ(taken<long>("010"), "10");
  EXPECT_EQ(taken<long long>("-010"), "-10");
  EXPECT_EQ(taken<unsigned>("0010"), "10");
  EXPECT_EQ(taken<double>("1e-3"), "0.001");
  for (const char* text : {"0x10", " 5", "5 ", "5x", "2147483648", "1e3"})
    EXPECT_EQ(taken<int>(text), "refused") << text;
  for (const char* text : {"-1", "18446744073709551616"}) {
    EXPECT_EQ(taken<unsigned long>(text), "refused") << text;
    EXPECT_EQ(taken<unsigned>(text), "refused") << text;
  }
  EXPECT_EQ(taken<long>("9223372036854775808"), "refused");
  for (const char* text : {"nan", "inf", "1e999", "0x1p3", "1,5"})
    EXPECT_EQ(taken<double>(text), "refused") << text;
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
