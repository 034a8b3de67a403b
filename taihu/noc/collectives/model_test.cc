// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/model.h"

#include <gtest/gtest.h>

#include "taihu/noc/collectives/search.h"
#include "taihu/noc/collectives/test_machines.h"

namespace taihu::noc {
namespace {

Tree tree_of(const Mesh& mesh, const std::string& placed) {
  return make_tree(mesh, placement(mesh, placed, middle_node(mesh)), all_nodes(mesh), middle_node(mesh));
}

TEST(Model, TableTwoIsExactForEvenSizes) {
  for (const int n : {4, 8, 16, 32}) {
    const Mesh mesh(n, n, false, Routing::yx);
    EXPECT_EQ(flat_hops(mesh, tree_of(mesh, "S1")), table2(Collective::reduce, 0, n));
    for (int strategy = 1; strategy <= 3; ++strategy) {
      const Tree tree = tree_of(mesh, "S" + std::to_string(strategy));
      EXPECT_EQ(reduce_hops(mesh, tree), table2(Collective::reduce, strategy, n));
      EXPECT_EQ(broadcast_hops(mesh, tree), table2(Collective::broadcast, strategy, n));
      EXPECT_EQ(reduce_hops(mesh, tree) + broadcast_hops(mesh, tree),
                table2(Collective::allreduce, strategy, n));
      EXPECT_EQ(gather_hops(mesh, tree), table2(Collective::gather, strategy, n));
    }
  }
}

TEST(Model, BinomialTreesMoveFewerPacketsThanTheTableSays) {
  const int expected[] = {20, 108, 544};
  int at = 0;
  for (const int n : {4, 8, 16}) {
    const Mesh mesh(n, n, false, Routing::yx);
    EXPECT_EQ(binomial_hops(mesh, all_nodes(mesh), 0), expected[at++]);
  }
}

TEST(Model, PlacementFollowsTheRoutingOrder) {
  const Mesh mesh(8, 8, false, Routing::xy);
  EXPECT_EQ(reduce_hops(mesh, tree_of(mesh, "S2")), 135);
  const Mesh yx(8, 8, false, Routing::yx);
  const Tree rows_with_xy = make_tree(mesh, placement(yx, "S2", 27), all_nodes(mesh), 27);
  EXPECT_GT(reduce_hops(mesh, rows_with_xy), 135);
}

TEST(Model, SearchFindsBetterRowsThanThePapers) {
  const MachineConfig config = machine_config(8, 8, "S2");
  const auto best = undominated(search_placements(config, 3, 16));
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best.front().lines, (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(best.front().hops, 87);
  EXPECT_EQ(best.front().cycles, 97);
}

TEST(Model, SimulatedHopsAreThoseOfTheTable) {
  for (int strategy = 1; strategy <= 3; ++strategy)
    for (const int n : {4, 8}) {
      MachineConfig config = machine_config(n, n, "S" + std::to_string(strategy));
      Machine machine(config);
      const int communicator = machine.make_communicator(all_nodes(config.network.mesh));
      const std::uint64_t learning = machine.network().packet_hops(Kind::learn);
      EXPECT_EQ(learning, n * n * n / 2u);
      const std::uint64_t before = machine.network().packet_hops(Kind::broadcast);
      EXPECT_EQ(before, n * n - 1u);  // the broadcast that ends learning
      run_and_check(machine,
                    make_operation(Collective::allreduce, communicator, n * n, config.tree_root, 16, 1));
      EXPECT_EQ(machine.network().packet_hops(Kind::reduce), table2(Collective::reduce, strategy, n));
      EXPECT_EQ(machine.network().packet_hops(Kind::broadcast) - before, n * n - 1u);
    }
}

}  // namespace
}  // namespace taihu::noc
