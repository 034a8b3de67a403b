// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/binding.h"

#include <gtest/gtest.h>

#include <set>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

using topology::CpuSet;
using topology::machine_from_text;

const topology::Machine two_sockets = machine_from_text("package:2 numanode:1 core:4 pu:2");

std::vector<std::string> rank_cpus(const Binding& binding) {
  std::vector<std::string> result;
  for (const RankBinding& rank : binding.ranks) result.push_back(rank.cpus.to_text());
  return result;
}

using Texts = std::vector<std::string>;

TEST(Binding, one_core_per_rank_spread_over_the_machine) {
  EXPECT_EQ(rank_cpus(plan_binding(two_sockets, {2, 0, 2}, 1, BindPolicy::core)), (Texts{"0-1", "8-9"}));
  const Binding full = plan_binding(two_sockets, {8, 0, 8}, 1, BindPolicy::automatic);
  EXPECT_EQ(full.policy, BindPolicy::core);
  EXPECT_EQ(rank_cpus(full), (Texts{"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"}));
  EXPECT_EQ(full.ranks[3].numa_node, 0);
  EXPECT_EQ(full.ranks[4].numa_node, 1);
}

TEST(Binding, threads_of_a_rank_have_their_own_cores) {
  const Binding binding = plan_binding(two_sockets, {2, 0, 2}, 4, BindPolicy::automatic);
  EXPECT_EQ(rank_cpus(binding), (Texts{"0-7", "8-15"}));
  EXPECT_EQ(binding.ranks[1].threads[2].to_text(), "12-13");
}

TEST(Binding, every_thread_has_a_different_core_whatever_the_numbers) {
  for (int ranks = 1; ranks <= 8; ++ranks)
    for (int threads = 1; ranks * threads <= 8; ++threads) {
      CpuSet seen;
      for (const RankBinding& rank :
           plan_binding(two_sockets, {ranks, 0, ranks}, threads, BindPolicy::core).ranks)
        for (const CpuSet& cpus : rank.threads) {
          EXPECT_TRUE(intersection(seen, cpus).empty()) << ranks << "x" << threads;
          seen.insert(cpus);
        }
      EXPECT_EQ(seen.size(), 2 * ranks * threads);
    }
}

TEST(Binding, node_processes_of_one_node_do_not_overlap) {
  const Binding whole = plan_binding(two_sockets, {7, 0, 7}, 1, BindPolicy::core);
  const Binding first = plan_binding(two_sockets, {7, 0, 4}, 1, BindPolicy::core);
  const Binding second = plan_binding(two_sockets, {7, 4, 3}, 1, BindPolicy::core);
  Texts parts = rank_cpus(first), rest = rank_cpus(second);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(parts, rank_cpus(whole));
  EXPECT_EQ(std::set<std::string>(parts.begin(), parts.end()).size(), 7u);
}

TEST(Binding, more_threads_than_cores) {
  EXPECT_EQ(plan_binding(two_sockets, {16, 0, 16}, 1, BindPolicy::automatic).policy, BindPolicy::numa);
  EXPECT_EQ(plan_binding(two_sockets, {9, 0, 9}, 1, BindPolicy::automatic).policy, BindPolicy::none);
  EXPECT_EQ(plan_binding(machine_from_text("core:2"), {8, 0, 8}, 1, BindPolicy::automatic).policy,
            BindPolicy::none);
  EXPECT_THROW(plan_binding(two_sockets, {3, 0, 3}, 3, BindPolicy::core), UsageError);
  const Binding none = plan_binding(two_sockets, {200, 100, 50}, 3, BindPolicy::automatic);
  EXPECT_EQ(none.ranks.size(), 50u);
  EXPECT_EQ(none.ranks[49].threads.size(), 3u);
}

TEST(Binding, numa_deals_ranks_evenly) {
  EXPECT_EQ(rank_cpus(plan_binding(two_sockets, {3, 0, 3}, 64, BindPolicy::numa)),
            (Texts{"0-7", "0-7", "8-15"}));
  EXPECT_EQ(rank_cpus(plan_binding(two_sockets, {1, 0, 1}, 1, BindPolicy::numa)), (Texts{"0-7"}));
  EXPECT_EQ(rank_cpus(plan_binding(two_sockets, {4, 2, 2}, 1, BindPolicy::numa)), (Texts{"8-15", "8-15"}));
}

TEST(Binding, restricted_machine_uses_only_its_cpus) {
  const auto part = restricted(two_sockets, topology::parse_cpu_set("3,12-15"));
  EXPECT_EQ(rank_cpus(plan_binding(part, {3, 0, 3}, 1, BindPolicy::automatic)),
            (Texts{"3", "12-13", "14-15"}));
  EXPECT_EQ(rank_cpus(plan_binding(part, {2, 0, 2}, 9, BindPolicy::numa)), (Texts{"3", "12-15"}));
}

TEST(Binding, hybrid_machine_prefers_fast_cores) {
  topology::Machine machine = machine_from_text("core:6");
  machine.cores[4].efficiency = machine.cores[5].efficiency = 1;
  EXPECT_EQ(rank_cpus(plan_binding(machine, {2, 0, 2}, 1, BindPolicy::core)), (Texts{"4", "5"}));
  EXPECT_EQ(rank_cpus(plan_binding(machine, {3, 0, 3}, 1, BindPolicy::core)), (Texts{"0", "2", "4"}));
}

TEST(Binding, default_threads_share_the_cores) {
  EXPECT_EQ(choose_threads(two_sockets, 1, 0), 8);
  EXPECT_EQ(choose_threads(two_sockets, 3, 0), 2);
  EXPECT_EQ(choose_threads(two_sockets, 100, 0), 1);
  EXPECT_EQ(choose_threads(two_sockets, 100, 64), 64);
}

TEST(Binding, report) {
  EXPECT_EQ(report(plan_binding(two_sockets, {2, 1, 1}, 2, BindPolicy::core), two_sockets, "n1", 5),
            "rank 5 on n1: core, cpus 8-9,12-13, NUMA node 1, threads [8-9] [12-13]\n");
  EXPECT_EQ(report(plan_binding(two_sockets, {1, 0, 1}, 2, BindPolicy::none), two_sockets, "n1", 0),
            "rank 0 on n1: not bound (cpus 0-15), 2 threads\n");
}

TEST(BindPolicy, text) {
  for (const char* text : {"core", "numa", "none", "auto"}) EXPECT_EQ(to_text(parse_bind_policy(text)), text);
  EXPECT_THROW(parse_bind_policy("socket"), UsageError);
}

}  // namespace
}  // namespace taihu::launch
