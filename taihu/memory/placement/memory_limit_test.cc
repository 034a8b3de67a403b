// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "taihu/memory/placement/machine_for_tests.h"

namespace taihu::memory {
namespace {

class MemoryLimit : public testing::Test {
 protected:
  MachineFiles files{{{0, "0", "10"}}};
};

TEST_F(MemoryLimit, NobodyLimits) {
  EXPECT_EQ(memory_limit(files.root()), SIZE_MAX);
  files.add_file("proc/self/cgroup", "0::/user/job");
  EXPECT_EQ(memory_limit(files.root()), SIZE_MAX);
  files.add_file("sys/fs/cgroup/user/job/memory.max", "max");
  EXPECT_EQ(memory_limit(files.root()), SIZE_MAX);
  files.add_file("proc/self/cgroup", "nonsense");
  EXPECT_EQ(memory_limit(files.root()), SIZE_MAX);
}

TEST_F(MemoryLimit, TheLeastOfAllGroupsAboveCounts) {
  files.add_file("proc/self/cgroup", "0::/user/job/step");
  files.add_file("sys/fs/cgroup/user/job/step/memory.max", "max");
  files.add_file("sys/fs/cgroup/user/job/memory.max", "3000000");
  files.add_file("sys/fs/cgroup/user/memory.max", "5000000");
  EXPECT_EQ(memory_limit(files.root()), 3000000u);
}

TEST_F(MemoryLimit, AContainerSeesItsGroupAsTheTop) {
  files.add_file("proc/self/cgroup", "0::/");
  files.add_file("sys/fs/cgroup/memory.max", "1048576");
  EXPECT_EQ(memory_limit(files.root()), 1048576u);
  files.add_file("proc/self/cgroup", "0::/as/the/host/calls/it");
  EXPECT_EQ(memory_limit(files.root()), 1048576u);
}

TEST_F(MemoryLimit, FirstVersion) {
  files.add_file("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/b\n1:name=systemd:/c");
  files.add_file("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "7340032");
  files.add_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(memory_limit(files.root()), 7340032u);
}

}  // namespace
}  // namespace taihu::memory
