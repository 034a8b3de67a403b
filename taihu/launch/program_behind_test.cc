// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/program_behind.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

using Words = std::vector<std::string>;

class ProgramBehindTest : public testing::Test {
 protected:
  ProgramBehindTest() {
    std::string pattern = testing::TempDir() + "program-behind-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    write("Rscript", "#!/bin/sh\n");
    write("R", "#!/bin/sh\n");
    std::filesystem::create_directory(folder_ + "/exec");
    write("exec/R",
          "\x7f"
          "ELF");
    write("exec-teller.so", "");
    place_.node_program = folder_ + "/mpi-node";
    place_.environment = {{"HOME", "/home"}, {"PATH", "/bin"}};
    place_.find_program = [this](const std::string& name) { return folder_ + "/" + name; };
    place_.output_of = [this](const Words& command) {
      command_ = command;
      return output_;
    };
  }
  ~ProgramBehindTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), 0755);
  }
  /// What exec_teller.c writes.
  static std::string told(const std::string& path, const Words& words, const Words& variables) {
    const std::string zero(1, '\0');
    std::string text = "taihu: exec" + zero + path + zero + std::to_string(words.size()) + zero;
    for (const std::string& word : words) text += word + zero;
    text += std::to_string(variables.size()) + zero;
    for (const std::string& variable : variables) text += variable + zero;
    return text;
  }

  std::string folder_, output_;
  Words command_;
  Surroundings place_;
};

TEST_F(ProgramBehindTest, IsWhatTheProgramBecomesWithItsWordsAndVariables) {
  output_ = "a warning\n" + told("/r/exec/R", {"R", "--file=x y.R", ""},
                                 {"HOME=/home", "PATH=/r:/bin", "R_HOME=/r", "PWD=/x", "LD_PRELOAD=/there"});
  const auto behind = program_behind("Rscript", {"x y.R", ""}, place_);
  ASSERT_TRUE(behind.has_value());
  EXPECT_EQ(command_, (Words{"/usr/bin/env", "LD_PRELOAD=" + folder_ + "/exec-teller.so", "EXEC_TELLER_OF=R",
                             folder_ + "/Rscript", "x y.R", ""}));
  EXPECT_EQ(behind->path, "/r/exec/R");
  EXPECT_EQ(behind->arguments, (Words{"--file=x y.R", ""}));
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(behind->variables, (Variables{{"PATH", "/r:/bin"}, {"R_HOME", "/r"}}));
}

TEST_F(ProgramBehindTest, OthersAreNotStarted) {
  EXPECT_FALSE(program_behind(folder_ + "/exec/R", {}, place_).has_value());
  EXPECT_FALSE(program_behind("./solver", {}, place_).has_value());
  EXPECT_FALSE(program_behind(folder_ + "/missing/Rscript", {}, place_).has_value());
  EXPECT_TRUE(command_.empty());
}

TEST_F(ProgramBehindTest, NothingIsStartedWithoutWhatTellsOfTheOther) {
  place_.node_program = folder_ + "/exec/mpi-node";
  EXPECT_THROW(program_behind("Rscript", {}, place_), Error);
  std::filesystem::create_directory(folder_ + "/a folder");
  write("a folder/exec-teller.so", "");
  place_.node_program = folder_ + "/a folder/mpi-node";
  EXPECT_THROW(program_behind("Rscript", {}, place_), Error);
  EXPECT_TRUE(command_.empty());
}

TEST_F(ProgramBehindTest, OneThatStartsNothingIsRefusedWithWhatItSays) {
  output_ = "\nRscript (R) version 4\nand more\n";
  try {
    program_behind("Rscript", {"--version"}, place_);
    FAIL();
  } catch (const Error& refusal) {
    EXPECT_STREQ(refusal.what(), "cannot run Rscript (it starts no compiled program): Rscript (R) version 4");
  }
  output_ = told("/r/exec/R", {"R"}, {}).substr(0, 14);
  EXPECT_THROW(program_behind("Rscript", {}, place_), Error);
}

}  // namespace
}  // namespace taihu::launch
