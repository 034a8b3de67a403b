// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/tuning_table.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/launch/tuning_comparison.h"

namespace taihu::launch {
namespace {

const TuningTable two_values{"Some Processor 1",
                             {{"TAIHU_EAGER_BYTES", "2048"}, {"TAIHU_LONG_BCAST_BYTES", "16384"}}};

std::string problem_of(const std::string& text) {
  try {
    parse_tuning_table(text, "table");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TuningTable, IsReadAsItWasWritten) {
  const TuningTable read = parse_tuning_table(to_text(two_values, {"by a test", "on a day"}), "table");
  EXPECT_EQ(read.processor, two_values.processor);
  EXPECT_EQ(read.values, two_values.values);
  EXPECT_TRUE(parse_tuning_table(to_text({}, {}), "table").values.empty());
}

TEST(TuningTable, DamageOfAnyByteIsFound) {
  const std::string text = to_text(two_values, {"remark"});
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_NE(problem_of(damaged), "") << "byte " << at;
    EXPECT_NE(problem_of(text.substr(0, at)), "") << "cut at " << at;
  }
  EXPECT_EQ(problem_of(text + "more\n"),
            "table: not a whole table of taihu-tune, or changed by hand; run taihu-tune again or remove it");
}

TEST(TuningTable, WhatItMayNotHaveIsRefused) {
  EXPECT_EQ(problem_of(to_text({"p", {{"TAIHU_MPI", "1"}}}, {})),
            "table:3: 'TAIHU_MPI' is nothing that a table of taihu-tune has; run taihu-tune again");
  EXPECT_EQ(problem_of(to_text({"p", {{"TAIHU_EAGER_BYTES", "1"}, {"TAIHU_EAGER_BYTES", "2"}}}, {})),
            "table:4: TAIHU_EAGER_BYTES is there twice; run taihu-tune again");
  EXPECT_NE(
      problem_of(to_text({"p", {{"TAIHU_EAGER_BYTES", "many"}}}, {})).find("table:3: TAIHU_EAGER_BYTES"),
      std::string::npos);
}

class TuningFile : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string_view name : tunable_variables()) unsetenv(std::string(name).c_str());
  }
  void TearDown() override {
    unsetenv("TAIHU_TUNING");
    SetUp();
    std::remove(file_.c_str());
  }
  void write(const std::string& text) {
    std::ofstream(file_) << text;
    setenv("TAIHU_TUNING", file_.c_str(), 1);
  }
  const std::string file_ = testing::TempDir() + "tuning_table_" + std::to_string(getpid());
};

TEST_F(TuningFile, GivesWhatTheEnvironmentHasNot) {
  TuningTable table = two_values;
  table.processor = processor_name();
  write(to_text(table, {}));
  setenv("TAIHU_EAGER_BYTES", "512", 1);
  const AppliedTable applied = apply_tuning_table();
  EXPECT_TRUE(applied.is_used());
  EXPECT_EQ(to_text(applied), "sizes of " + file_);
  EXPECT_STREQ(std::getenv("TAIHU_EAGER_BYTES"), "512");
  EXPECT_STREQ(std::getenv("TAIHU_LONG_BCAST_BYTES"), "16384");
}

TEST_F(TuningFile, OfAnotherProcessorIsLeftAlone) {
  write(to_text(two_values, {}));
  const AppliedTable applied = apply_tuning_table();
  EXPECT_FALSE(applied.is_used());
  EXPECT_EQ(to_text(applied), file_ + " is not used: it was measured on 'Some Processor 1', and this is '" +
                                  processor_name() + "'");
  EXPECT_EQ(std::getenv("TAIHU_LONG_BCAST_BYTES"), nullptr);
}

TEST_F(TuningFile, ThatCannotBeReadIsTold) {
  write("nonsense");
  EXPECT_THROW(apply_tuning_table(), Error);
  setenv("TAIHU_TUNING", "/no/such/file", 1);
  EXPECT_THROW(apply_tuning_table(), Error);
  setenv("TAIHU_TUNING", "off", 1);
  EXPECT_EQ(to_text(apply_tuning_table()), "");
}

std::string problem_of_file(const std::string& file) {
  setenv("TAIHU_TUNING", file.c_str(), 1);
  try {
    apply_tuning_table();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(TuningFile, ThatIsNoneOrDoesNotEndIsTold) {
  const std::string pipe = file_ + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name : {pipe, std::string("/dev/zero"), testing::TempDir()})
    EXPECT_EQ(problem_of_file(name),
              "the tuning table " + name + " is not a file; run taihu-tune, or set TAIHU_TUNING to off");
  std::remove(pipe.c_str());
  write(std::string(1 << 20, '#'));
  EXPECT_EQ(problem_of_file(file_),
            "the tuning table " + file_ + " has more than 65536 bytes, which no table of taihu-tune has");
}

TEST_F(TuningFile, OfTheUserComesBeforeThatOfTheSystem) {
  const char* const home = std::getenv("XDG_CONFIG_HOME");
  const std::string before = home != nullptr ? home : "";
  setenv("XDG_CONFIG_HOME", "/some/folder", 1);
  EXPECT_EQ(tuning_file_of_user(), "/some/folder/taihu/tuning");
  home != nullptr ? setenv("XDG_CONFIG_HOME", before.c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
}

/// Nine pairs at two lengths; times of the other value times these factors, all with noise of `noise`.
TuningComparison measured(double first, double second, double noise) {
  Random random(7);
  const auto noisy = [&](double seconds) {
    return seconds * (1 + noise * (static_cast<double>(random.below(2001)) / 1000 - 1));
  };
  std::vector<TimedPair> pairs;
  for (int round = 0; round < 9; ++round)
    pairs.push_back({{noisy(1e-6), noisy(2e-6)}, {noisy(first * 1e-6), noisy(second * 2e-6)}});
  return compare_pairs(pairs);
}

TEST(TuningComparison, TakesWhatIsClearlyFaster) {
  EXPECT_TRUE(measured(0.9, 0.9, 0.02).is_better());
  EXPECT_NEAR(measured(0.9, 0.9, 0).ratio, 0.9, 1e-12);
  EXPECT_NEAR(measured(0.9, 0.9, 0).wins, 1, 1e-12);
}

TEST(TuningComparison, KeepsThePresentValueOtherwise) {
  EXPECT_FALSE(measured(1, 1, 0).is_better());
  EXPECT_FALSE(measured(1, 1, 0.3).is_better()) << "noise";
  EXPECT_FALSE(measured(0.98, 0.98, 0).is_better()) << "too little";
  EXPECT_FALSE(measured(0.7, 1.05, 0).is_better()) << "slower at one length";
  EXPECT_FALSE(measured(1.2, 1.2, 0.02).is_better());
}

}  // namespace
}  // namespace taihu::launch
