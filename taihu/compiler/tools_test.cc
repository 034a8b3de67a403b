// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/tools.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "taihu/compiler/response_file.h"

namespace taihu::compiler {
namespace {

namespace fs = std::filesystem;

class FolderWith : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  void put(const fs::path& file) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "here";
  }
  std::string found() const {
    return folder_with("mpi.h", root_, "include/taihu", "include").lexically_relative(root_);
  }

 private:
  const fs::path root_ = fs::path(testing::TempDir()) / ("taihu_folder_with." + std::to_string(getpid()));
};

TEST_F(FolderWith, TakesTheFolderThatTheInstallationWasConfiguredWith) {
  put("include/taihu/mpi.h");
  EXPECT_EQ(found(), "include/taihu");
  put("include/mpi.h");  // of another MPI library, as in /usr/include
  EXPECT_EQ(found(), "include/taihu");
}

TEST_F(FolderWith, TakesTheFolderOfABuildTreeElse) {
  put("include/mpi.h");
  EXPECT_EQ(found(), "include");
}

TEST_F(FolderWith, NamesTheFolderOfABuildTreeWhereNothingIs) {
  EXPECT_EQ(found(), "include");
}

TEST(Commands, GetWordsThatAreTooLongForTheSystemFromAFile) {
  const fs::path script = fs::path(testing::TempDir()) / ("taihu_words." + std::to_string(getpid()));
  std::ofstream(script) << "#!/bin/sh\nexec cat \"${1#@}\"\n";
  fs::permissions(script, fs::perms::owner_all);
  const std::vector<std::string> words = {"-DFIRST=\"a\\\tb'", "", "@not a file", std::string(200000, '1')};
  std::vector<std::string> command = {script};
  command.insert(command.end(), words.begin(), words.end());
  EXPECT_EQ(split_arguments(output_of(command)), words);
  command.pop_back();
  command.insert(command.end(), 200000, "word");
  EXPECT_EQ(split_arguments(output_of(command)).size(), 200003u);
  fs::remove(script);
}

TEST(Commands, LeaveRoomForALargeEnvironment) {
  const fs::path script = fs::path(testing::TempDir()) / ("taihu_room." + std::to_string(getpid()));
  std::ofstream(script) << "#!/bin/sh\necho started\n";
  fs::permissions(script, fs::perms::owner_all);
  const auto name = [](int number) { return "TAIHU_TEST_" + std::to_string(number); };
  for (int k = 0; k < 14; ++k) setenv(name(k).c_str(), std::string(100000, 'e').c_str(), 1);
  std::vector<std::string> command(10000, std::string(80, 'w'));
  command[0] = script;
  EXPECT_EQ(output_of(command), "started");
  for (int k = 0; k < 14; ++k) unsetenv(name(k).c_str());
  fs::remove(script);
}

}  // namespace
}  // namespace taihu::compiler
