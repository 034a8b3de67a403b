// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::tasks {
namespace {

class TaskFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<TaskRange> missing(std::int64_t total) const { return TaskFile(path_, total).missing(); }
  std::string refusal(std::int64_t total) const {
    try {
      TaskFile(path_, total);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  const std::string folder_ = testing::TempDir() + "task_file_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                              std::to_string(getpid());
  const std::string path_ = folder_ + "/tasks.ckpt";
};

std::vector<std::pair<std::int64_t, std::int64_t>> pairs(const std::vector<TaskRange>& ranges) {
  std::vector<std::pair<std::int64_t, std::int64_t>> result;
  for (const TaskRange& range : ranges) result.emplace_back(range.first, range.end);
  return result;
}
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST_F(TaskFileTest, KnowsWhatIsMissing) {
  const std::int64_t huge = std::int64_t{1} << 47;
  EXPECT_EQ(pairs(missing(huge)), (Pairs{{0, huge}}));
  {
    TaskFile file(path_, huge);
    const TaskRange first[] = {{5, 6}, {0, 2}};
    file.append(first);
    const TaskRange second[] = {{huge - 1, huge}, {2, 3}, {1, 3}};
    file.append(second);
    file.append({});
  }
  EXPECT_EQ(pairs(missing(huge)), (Pairs{{3, 5}, {6, huge - 1}}));
  {
    TaskFile file(path_, huge);
    const TaskRange rest[] = {{3, 5}, {6, huge - 1}};
    file.append(rest);
  }
  EXPECT_TRUE(missing(huge).empty());
}

TEST_F(TaskFileTest, HoldsNoneAndOneTask) {
  EXPECT_TRUE(missing(0).empty());
  EXPECT_TRUE(missing(0).empty());
  std::filesystem::remove(path_);
  EXPECT_EQ(pairs(missing(1)), (Pairs{{0, 1}}));
  const TaskRange all[] = {{0, 1}};
  TaskFile(path_, 1).append(all);
  EXPECT_TRUE(missing(1).empty());
}

// Whatever part of the last bytes is missing or damaged: no task counts that was not recorded, and all that
// were recorded before count.
TEST_F(TaskFileTest, DropsATornLastRecord) {
  {
    TaskFile file(path_, 100);
    const TaskRange records[] = {{0, 10}, {20, 30}};
    file.append(records);
  }
  const std::string whole = content();
  ASSERT_EQ(whole.size(), 24u + 2 * 24);
  for (std::size_t bytes = 48; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    EXPECT_EQ(pairs(missing(100)), (Pairs{{10, 100}})) << bytes;
    write(whole.substr(0, bytes) + std::string(whole.size() - bytes, bytes % 2 == 0 ? '\0' : '\x7f'));
    EXPECT_EQ(pairs(missing(100)), (Pairs{{10, 100}})) << bytes;
    {  // the next records are read again
      TaskFile file(path_, 100);
      const TaskRange more[] = {{50, 60}};
      file.append(more);
    }
    EXPECT_EQ(pairs(missing(100)), (Pairs{{10, 50}, {60, 100}})) << bytes;
  }
}

TEST_F(TaskFileTest, BeginsAgainWhenItsHeadIsTorn) {
  missing(100);
  const std::string whole = content();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    EXPECT_EQ(pairs(missing(100)), (Pairs{{0, 100}})) << bytes;
    EXPECT_EQ(content(), whole);
  }
}

TEST_F(TaskFileTest, RefusesOtherFiles) {
  missing(100);
  EXPECT_EQ(refusal(101),
            "checkpoint file " + path_ + " is of 100 tasks, not of 101; give another name, or remove it");
  for (const std::string& text : {std::string("x"), std::string("#!/bin/sh\n"), std::string(1000, '\0')}) {
    write(text);
    EXPECT_EQ(refusal(100),
              path_ + " is not a checkpoint file of get_task_id; give another name, or remove it");
    EXPECT_EQ(content(), text);
  }
  EXPECT_NE(TaskFileTest::refusal(100), "");
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_NE(refusal(100).find("cannot open checkpoint file"), std::string::npos);
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(100), "checkpoint file " + path_ + " is not a regular file; give the name of one");
}

TEST_F(TaskFileTest, IsOpenOnce) {
  const TaskFile file(path_, 100);
  EXPECT_EQ(refusal(100), "checkpoint file " + path_ +
                              " is in use (by another job, or by another group of this scope); give each its "
                              "own file");
}

}  // namespace
}  // namespace taihu::tasks
