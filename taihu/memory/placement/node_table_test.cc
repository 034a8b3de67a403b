// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/node_table.h"

#include <gtest/gtest.h>

#include "taihu/memory/placement/machine_for_tests.h"

namespace taihu::memory {
namespace {

TEST(NodeTable, ReadsLists) {
  EXPECT_EQ(parse_number_list("0-2,8"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(parse_number_list("5"), std::vector<int>{5});
  for (const char* wrong : {"", "x", "3-1", "-1", "1-", "0-999999999"})
    EXPECT_TRUE(parse_number_list(wrong).empty()) << wrong;
}

TEST(NodeTable, MachineWithoutAnythingHasOneNode) {
  const NodeTable table = read_node_table("/nonexistent");
  ASSERT_EQ(table.nodes.size(), 1u);
  EXPECT_EQ(table.home_of(0), 0);
  EXPECT_EQ(table.home_of(99), 0);
  EXPECT_FALSE(table.notes.empty());
}

TEST(NodeTable, NodeWithoutMemoryUsesItsNearest) {
  MachineFiles files({{0, "0-1", "10 16 32 21"},
                      {1, "2-3", "16 10 22 21"},
                      {2, "4-5", "32 22 10 12"},
                      {3, "6-7", "40 30 11 10"}});
  files.set_with_memory("0-1,3");
  const NodeTable table = read_node_table(files.root());
  EXPECT_EQ(table.usable(), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(table.home_of(2), 3) << "12 is its smallest distance, whatever the way back costs";
  EXPECT_EQ(table.home_of(1), 1);
  EXPECT_EQ(table.notes, std::vector<std::string>{"node 2 has no memory"});
}

TEST(NodeTable, DistancesNeedNotBeSymmetric) {
  MachineFiles files({{0, "0", "10 30 20"}, {1, "1", "11 10 40"}, {2, "2", "50 60 10"}});
  files.set_with_memory("1-2");
  EXPECT_EQ(read_node_table(files.root()).home_of(0), 2) << "seen from node 0, though node 1 sees it nearest";
}

TEST(NodeTable, SmallCpusetAndOfflineNodes) {
  MachineFiles files({{0, "0", "10 20 20"}, {2, "1", "20 10 15"}, {5, "2", "20 15 10"}});
  files.set_allowed("0,5");
  const NodeTable table = read_node_table(files.root());
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.home_of(2), 5);
  EXPECT_EQ(table.home_of(1), 0) << "an absent node has no distances: the first usable one";
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_NE(table.notes[0].find("cpuset"), std::string::npos);
}

TEST(NodeTable, NothingUsableIsTreatedAsAllUsable) {
  MachineFiles files({{0, "0", "10 20"}, {1, "1", "20 10"}});
  files.set_allowed("7");
  EXPECT_EQ(read_node_table(files.root()).usable(), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace taihu::memory
