// SPDX-License-Identifier: Apache-2.0
// Every collective's value against the sequential reference.
#include <gtest/gtest.h>

#include "taihu/noc/model.h"
#include "taihu/noc/test_machines.h"

namespace taihu::noc {
namespace {

constexpr Collective every_collective[] = {Collective::reduce, Collective::broadcast, Collective::allreduce,
                                           Collective::gather, Collective::barrier};
const char* const every_placement[] = {"S1", "S2", "S3", "all", "none", "plain"};

TEST(Collectives, AllSubsetsOfASmallMesh) {
  for (const char* placed : every_placement) {
    for (unsigned subset = 1; subset < 512; ++subset) {
      std::vector<int> members;
      for (int node = 0; node < 9; ++node)
        if ((subset >> node & 1) != 0) members.push_back(node);
      if (members.size() < 2) continue;
      Machine machine(machine_config(3, 3, placed));
      const int communicator = machine.make_communicator(members);
      const int count = static_cast<int>(members.size());
      EXPECT_EQ(machine.communicator(communicator).hardware, placed[0] == 'S' || placed[0] == 'a');
      for (const Collective collective : every_collective)
        run_and_check(machine, make_operation(collective, communicator, count, static_cast<int>(subset) % count, 16, subset));
    }
  }
}

TEST(Collectives, ZeroLoadIsAsPredicted) {
  for (const char* costs : {"fair", "paper2017"})
    for (const char* placed : {"S1", "S2", "S3", "all"})
      for (const int n : {4, 8})
        for (const std::size_t bytes : {8, 16, 32, 64})
          for (const Collective collective : {Collective::reduce, Collective::broadcast, Collective::allreduce}) {
            const MachineConfig config = machine_config(n, n, placed, costs);
            Machine machine(config);
            const int communicator = machine.make_communicator(all_nodes(config.network.mesh));
            const Operation operation = make_operation(collective, communicator, n * n, config.tree_root, bytes, 1);
            const Cycle cycles = run_and_check(machine, operation);
            const Cycle predicted = predict_hardware(machine.config(), machine.communicator(communicator).tree, operation);
            EXPECT_EQ(cycles, predicted) << costs << " " << placed << " n " << n << " bytes " << bytes << " "
                                         << to_text(collective);
          }
}

}  // namespace
}  // namespace taihu::noc
