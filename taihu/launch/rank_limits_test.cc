// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/rank_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

namespace fs = std::filesystem;

/// Files in a folder of this test, laid out as /proc and /sys.
class RankLimits : public testing::Test {
 protected:
  RankLimits() : root_(fs::path(testing::TempDir()) / ("rank_limits." + std::to_string(getpid()))) {
    write("/proc/sys/kernel/threads-max", "100000\n");
    write("/proc/sys/kernel/pid_max", "50000\n");
    write("/proc/sys/vm/max_map_count", "65530\n");
    write("/proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
    write("/proc/self/cgroup", "0::/\n");
  }
  ~RankLimits() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_.string() + path).parent_path());
    std::ofstream(root_.string() + path) << text;
  }
  std::string refusal(int ranks, int nodes, int processes) {
    try {
      check_rank_limits(rank_limits(root_.string()), ranks, nodes, processes);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }

  const fs::path root_;
};

TEST_F(RankLimits, ByTheMappingsOfAProcess) {
  EXPECT_EQ(refusal(9347, 1, 1), "accepted");
  EXPECT_EQ(refusal(1000000000, 1, 1),
            "-n 1000000000: at most 9347 ranks fit (vm.max_map_count is 65530, and a rank has at least 7 "
            "mappings); "
            "lower -n, raise --processes-per-node or raise the limit");
  EXPECT_EQ(refusal(18694, 1, 2), "accepted");
  EXPECT_EQ(refusal(18695, 2, 1).substr(0, 34), "-n 18695: at most 18694 ranks fit ");
}

TEST_F(RankLimits, ByTheThreadsOfTheMachine) {
  EXPECT_EQ(refusal(1000000, 1, 1000),
            "-n 1000000: at most 28045 ranks fit (the memory of the machine is 16384 MiB); lower -n, use "
            "more nodes or "
            "raise the limit");
  write("/proc/sys/kernel/pid_max", "4000\n");
  EXPECT_EQ(refusal(5000, 1, 1),
            "-n 5000: at most 4000 ranks fit (kernel.pid_max allows 4000 threads); lower -n, use more nodes "
            "or raise "
            "the limit");
}

TEST_F(RankLimits, ByTheControlGroupAndThoseAboveIt) {
  write("/proc/self/cgroup", "0::/jobs/one\n");
  write("/sys/fs/cgroup/jobs/one/pids.max", "max\n");
  write("/sys/fs/cgroup/jobs/pids.max", "300\n");
  EXPECT_NE(refusal(301, 1, 1).find("/sys/fs/cgroup/jobs/pids.max allows 300 threads"), std::string::npos);
  write("/proc/self/cgroup", "8:cpu,pids:/batch\n4:memory:/batch\n");
  write("/sys/fs/cgroup/pids/batch/pids.max", "200\n");
  write("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "10485760\n");
  EXPECT_NE(refusal(201, 1, 1).find("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes is 10 MiB"),
            std::string::npos);
}

TEST_F(RankLimits, AreNoneWhereNothingCanBeRead) {
  EXPECT_NO_THROW(check_rank_limits(rank_limits("/no/such/folder"), 1000000000, 1, 1));
}

TEST(RankLimitsHere, LeaveRoomForUsualJobs) {
  EXPECT_NO_THROW(check_rank_limits(rank_limits(), 64, 1, 1));
}

}  // namespace
}  // namespace taihu::launch
