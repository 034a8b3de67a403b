// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/layout.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

Host host(const std::string& name, int numa_nodes = 1, const std::string& position = "") {
  return {name, position, numa_nodes};
}

/// Checks the invariants of layout.h.
void expect_invariants(const Layout& layout) {
  ASSERT_EQ(layout.first_rank.size(), static_cast<std::size_t>(layout.processes) + 1);
  EXPECT_EQ(layout.first_rank.front(), 0);
  EXPECT_EQ(layout.first_rank.back(), layout.ranks);
  ASSERT_EQ(layout.node_of_process.size(), static_cast<std::size_t>(layout.processes));
  for (int process = 0; process < layout.processes; ++process) {
    const int count = layout.first_rank[process + 1] - layout.first_rank[process];
    EXPECT_EQ(count, layout.ranks / layout.processes + (process < layout.ranks % layout.processes));
    for (int rank = layout.first_rank[process]; rank < layout.first_rank[process + 1]; ++rank)
      EXPECT_EQ(layout.process_of(rank), process);
  }
  EXPECT_EQ(layout.sizes.bnode % layout.sizes.node, 0);
  EXPECT_EQ(layout.sizes.snode % layout.sizes.bnode, 0);
  EXPECT_EQ(layout.ranks % layout.sizes.snode, 0);
  for (int rank = 0; rank < layout.ranks; ++rank)
    EXPECT_EQ(layout.node_of_process[layout.process_of(rank)],
              layout.node_of_process[layout.process_of(layout.group_start(Scope::bnode, rank))]);
}

Layout checked(int ranks, const std::vector<Host>& hosts, ScopeSizes wanted = {}) {
  Layout layout = make_layout(ranks, hosts, wanted);
  expect_invariants(layout);
  for (std::size_t process = 0; process < hosts.size(); ++process)
    EXPECT_EQ(layout.node_names.at(static_cast<std::size_t>(layout.node_of_process[process])),
              hosts[process].name);
  return layout;
}

std::string refusal(int ranks, const std::vector<Host>& hosts, ScopeSizes wanted = {}) {
  try {
    make_layout(ranks, hosts, wanted);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_sizes(const Layout& layout, int snode, int bnode, int node) {
  EXPECT_EQ(layout.size(Scope::all), layout.ranks);
  EXPECT_EQ(layout.size(Scope::snode), snode);
  EXPECT_EQ(layout.size(Scope::bnode), bnode);
  EXPECT_EQ(layout.size(Scope::node), node);
}

TEST(Layout, single_rank) {
  expect_sizes(checked(1, {host("a")}), 1, 1, 1);
}

TEST(Layout, one_process_with_numa_nodes) {
  expect_sizes(checked(8, {host("a", 2)}), 8, 8, 4);
  expect_sizes(checked(256, {host("a", 8)}), 256, 256, 32);
  expect_sizes(checked(7, {host("a", 2)}), 7, 7, 1);
  expect_sizes(checked(2, {host("a", 4)}), 2, 2, 1);
  expect_sizes(checked(6, {host("a", 4)}), 6, 6, 1);
  expect_sizes(checked(7, {host("a", 1)}), 7, 7, 7);
}

TEST(Layout, seven_ranks_on_two_processes) {
  const Layout same_node = checked(7, {host("a"), host("a")});
  EXPECT_EQ(same_node.first_rank, (std::vector<int>{0, 4, 7}));
  EXPECT_EQ(same_node.node_of_process, (std::vector<int>{0, 0}));
  expect_sizes(same_node, 7, 7, 7);
  const Layout two_nodes = checked(7, {host("a"), host("b")});
  EXPECT_EQ(two_nodes.node_of_process, (std::vector<int>{0, 1}));
  expect_sizes(two_nodes, 7, 1, 1);
}

TEST(Layout, spare_ranks_are_the_last_of_the_last_process) {
  Layout layout = checked(7, {host("a"), host("a")});
  add_spare_ranks(layout, 5);
  EXPECT_EQ(layout.ranks, 12);
  EXPECT_EQ(layout.first_ranks(), 7);
  EXPECT_EQ(layout.first_rank, (std::vector<int>{0, 4, 12}));
  EXPECT_EQ(layout.process_of(6), 1);
  EXPECT_EQ(layout.process_of(11), 1);
}

TEST(Layout, uneven_nodes) {
  expect_sizes(checked(12, {host("a"), host("a"), host("b")}), 12, 4, 4);
  expect_sizes(checked(12, {host("a", 2), host("a", 2), host("b", 2)}), 12, 4, 2);
  expect_sizes(checked(9, {host("a"), host("b"), host("a")}), 9, 3, 3);
}

TEST(Layout, supernode_is_a_leaf_switch) {
  const std::vector<Host> hosts = {host("a", 1, "r/1"), host("b", 1, "r/1"), host("c", 1, "r/2"),
                                   host("d", 1, "r/2")};
  expect_sizes(checked(16, hosts), 8, 4, 4);
  expect_sizes(checked(16, {hosts[0], hosts[1], hosts[2]}), 1, 1, 1);
  expect_sizes(checked(12, {hosts[0], hosts[1], hosts[2]}), 4, 4, 4);
  expect_sizes(checked(12, {hosts[0], host("x"), hosts[2]}), 12, 4, 4);
}

TEST(Layout, processes_of_one_node_under_two_switches) {
  expect_sizes(checked(4, {host("a", 1, "1"), host("a", 1, "2")}), 4, 4, 4);
}

TEST(Layout, given_sizes) {
  expect_sizes(checked(16, {host("a", 2)}, {8, 4, 2}), 8, 4, 2);
  expect_sizes(checked(16, {host("a", 2)}, {4, 0, 0}), 4, 4, 4);
  expect_sizes(checked(16, {host("a", 2)}, {0, 0, 2}), 16, 16, 2);
  expect_sizes(checked(16, {host("a"), host("b")}, {0, 2, 0}), 16, 2, 2);
  expect_sizes(checked(6, {host("a")}, {0, 0, 6}), 6, 6, 6);
}

TEST(Layout, refusals_name_the_pair) {
  EXPECT_EQ(refusal(8, {host("a")}, {0, 4, 3}),
            "--node of 3 does not divide the big node of 4 ranks; scope sizes nest: node, big node, "
            "supernode, all ranks");
  EXPECT_EQ(refusal(8, {host("a")}, {6, 4, 0}).substr(0, 53),
            "--bnode of 4 does not divide the supernode of 6 ranks");
  EXPECT_EQ(refusal(8, {host("a")}, {3, 0, 0}).substr(0, 47),
            "--snode of 3 does not divide the job of 8 ranks");
  EXPECT_EQ(refusal(8, {host("a")}, {0, 3, 0}),
            "--bnode of 3 does not divide node a of 8 ranks; a big node lies inside one node");
  EXPECT_EQ(refusal(8, {host("a"), host("b")}, {0, 8, 0}),
            "--bnode of 8 does not divide node a of 4 ranks; a big node lies inside one node");
  EXPECT_EQ(refusal(7, {host("a")}, {0, 0, 2}).substr(0, 50),
            "--node of 2 does not divide the big node of 7 rank");
  EXPECT_EQ(refusal(4, {host("a")}, {0, 0, 8}).substr(0, 50),
            "--node of 8 does not divide the big node of 4 rank");
  EXPECT_EQ(refusal(4, {host("a")}, {-1, 0, 0}), "--snode must be at least 1");
}

TEST(Layout, fewer_ranks_than_processes) {
  EXPECT_EQ(refusal(1, {host("a"), host("b")}),
            "1 rank cannot fill 2 node processes; ask for more ranks with -n, or for fewer nodes");
  EXPECT_NE(refusal(0, {host("a")}), "accepted");
  EXPECT_NE(refusal(4, {}), "accepted");
}

}  // namespace
}  // namespace taihu::launch
