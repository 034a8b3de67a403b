// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/program_options.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace taihu {
namespace {

/// What a program with two commands, of which one needs an option, says about these words.
std::string refused(std::vector<const char*> words) {
  CLI::App app("An example", "example");
  app.set_version_flag("--version", "example 1");
  app.require_subcommand(1);
  int size = 0, count = 0;
  double share = 0;
  std::vector<int> box;
  std::string kind;
  CLI::App* solve = app.add_subcommand("solve", "");
  solve->add_option("-n,--size", size)->required()->check(CLI::Range(1, 9))->type_name("N");
  solve->add_option("--share", share)->check(CLI::Range(0.25, 1.0));
  solve->add_option("--box", box)->expected(3);
  solve->add_option("--count", count);
  solve->add_option("--kind", kind)->check(CLI::IsMember({"blue", "green"}));
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

TEST(ProgramOptions, OtherMistakesAreToldInOurWords) {
  const std::string commands = "there are solve, model";
  EXPECT_EQ(refused({}), "no command given; " + commands);
  EXPECT_EQ(refused({"dance"}), "unknown command dance; " + commands);
  EXPECT_EQ(refused({"solve"}), "--size is missing; --help shows all options");
  EXPECT_EQ(refused({"solve", "--size"}), "--size needs a value (N)");
  EXPECT_EQ(refused({"solve", "--size", "big"}), "--size: 'big' is not a whole number from 1 to 9");
  EXPECT_EQ(refused({"solve", "--size=0"}), "--size: '0' is not a whole number from 1 to 9");
  EXPECT_EQ(refused({"solve", "-n", "0"}), "-n: '0' is not a whole number from 1 to 9");
  EXPECT_EQ(refused({"solve", "-n1", "--share", "7"}), "--share: '7' is not a number from 0.25 to 1");
  EXPECT_EQ(refused({"solve", "-n1", "--box", "1", "2"}), "--box takes at least 3 values, not 2");
  EXPECT_EQ(refused({"solve", "-n1", "--count", "x"}), "--count: 'x' is not a number");
  EXPECT_EQ(refused({"solve", "-n1", "--kind", "red"}), "--kind: 'red' is not one of blue, green");
  EXPECT_EQ(refused({"model", "more"}), "unexpected argument more; --help shows all options");
  EXPECT_EQ(refused({"model", "a", "b"}), "unexpected argument a; --help shows all options");
  EXPECT_EQ(option_mistake("files: At Most 2 required but received 3"),
            "files: at most 2 can be given, not 3");
  EXPECT_EQ(option_mistake("--a excludes --b"), "--a excludes --b");
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
