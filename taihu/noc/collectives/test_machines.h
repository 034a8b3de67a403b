// SPDX-License-Identifier: Apache-2.0
// Networks, machines and operations for the tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "taihu/noc/collectives/machine.h"
#include "taihu/noc/collectives/tree.h"

namespace taihu::noc {

inline MachineConfig machine_config(int width, int height, const std::string& placed,
                                    const std::string& costs = "fair") {
  MachineConfig config;
  config.network.mesh = Mesh(width, height, false, Routing::yx);
  config.network.reuse = Reuse::cut_through;
  config.network.checked = width * height <= 64;
  config.tree_root = middle_node(config.network.mesh);
  if (placed != "plain") config.network.levels = placement(config.network.mesh, placed, config.tree_root);
  config.costs = costs_named(costs);
  return config;
}

inline std::vector<int> all_nodes(const Mesh& mesh) {
  std::vector<int> nodes(static_cast<std::size_t>(mesh.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// Data whose sums are exact in any order: small whole numbers, as doubles or integers.
inline Operation make_operation(Collective collective, int communicator, int members, int root,
                                std::size_t bytes, std::uint64_t seed,
                                Arithmetic arithmetic = Arithmetic::add_double) {
  Operation operation;
  operation.collective = collective;
  operation.communicator = communicator;
  operation.root = root;
  operation.bytes = bytes;
  operation.arithmetic = arithmetic;
  if (collective == Collective::barrier) {
    operation.bytes = 0;
    return operation;
  }
  Random random(seed);
  operation.data.resize(static_cast<std::size_t>(members));
  for (int member = 0; member < members; ++member) {
    if (collective == Collective::broadcast && member != root) continue;
    Bytes& data = operation.data[static_cast<std::size_t>(member)];
    data.resize(bytes);
    const bool pieces = collective == Collective::gather || collective == Collective::broadcast;
    for (std::size_t place = 0; place < bytes; ++place) data[place] = static_cast<std::byte>(random.next());
    for (std::size_t place = 0; !pieces && place + 8 <= bytes; place += 8) {
      const std::uint64_t whole = random.below(1000);
      const double real = static_cast<double>(whole) - 500;
      if (arithmetic <= Arithmetic::max_double)
        std::memcpy(data.data() + place, &real, 8);
      else
        std::memcpy(data.data() + place, &whole, 8);
    }
  }
  return operation;
}

/// Runs one operation and compares every member's result with the reference. Returns its cycles.
inline Cycle run_and_check(Machine& machine, const Operation& operation) {
  const int number = machine.start(operation);
  machine.run();
  const auto members = machine.communicator(operation.communicator).members.size();
  EXPECT_EQ(machine.outcome(number).results, reference_results(operation, static_cast<int>(members)))
      << to_text(operation.collective) << " of " << operation.bytes << " bytes, root " << operation.root;
  return machine.outcome(number).cycles();
}

}  // namespace taihu::noc
