// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/tools.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

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

}  // namespace
}  // namespace taihu::compiler
