// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/search_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace taihu {
namespace {

namespace fs = std::filesystem;

class SearchPath : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("search_path_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "first" / "tool");  // a folder is no program
    fs::create_directories(folder_ / "second");
    make("first/text", fs::perms::owner_read);
    make("second/text", fs::perms::owner_all);
    make("second/tool", fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make(const std::string& name, fs::perms permissions) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    fs::permissions(folder_ / name, permissions);
  }
  std::string both() const { return (folder_ / "first").string() + ":" + (folder_ / "second").string(); }

  fs::path folder_;
};

TEST_F(SearchPath, FindsTheFirstFileThatCanBeRun) {
  const std::string second = (folder_ / "second").string();
  EXPECT_EQ(find_in_path("tool", both().c_str()), second + "/tool");
  EXPECT_EQ(find_in_path("text", both().c_str()), second + "/text");
  EXPECT_EQ(find_in_path("nothing", both().c_str()), "");
  EXPECT_EQ(find_in_path("", both().c_str()), "");
}

TEST_F(SearchPath, ANameWithASlashIsNotSearchedFor) {
  const std::string tool = (folder_ / "second" / "tool").string();
  EXPECT_EQ(find_in_path(tool, ""), tool);
  EXPECT_EQ(find_in_path((folder_ / "first" / "tool").string(), both().c_str()), "");
  EXPECT_EQ(find_in_path("second/tool", folder_.c_str()), "");
}

TEST_F(SearchPath, AnEmptyFolderIsTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "second");
  for (const char* path : {"", ":", "/nowhere:", ":/nowhere", "/nowhere::/nowhere"})
    EXPECT_EQ(find_in_path("tool", path), "./tool") << path;
  EXPECT_EQ(find_in_path("tool", "/nowhere"), "");
  fs::current_path(before);
}

TEST_F(SearchPath, WithoutPathTheFoldersOfTheSystemAreSearched) {
  EXPECT_EQ(find_in_path("sh", nullptr), "/bin/sh");
}

}  // namespace
}  // namespace taihu
