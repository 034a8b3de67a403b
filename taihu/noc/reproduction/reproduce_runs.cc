// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/reproduction/reproduce_runs.h"

#include <algorithm>
#include <numeric>

#include "taihu/noc/collectives/model.h"
#include "taihu/noc/workload/config.h"

namespace taihu::noc {

MachineConfig config_of(const Case& which) {
  MachineConfig config;
  config.network.mesh = Mesh(which.n, which.n, false, Routing::yx);
  config.network.reuse = Reuse::cut_through;
  config.network.unit.fixed_order = which.fixed_order;
  config.tree_root = middle_node(config.network.mesh);
  config.costs = costs_named(which.parameters);
  if (which.strategy > 0)
    config.network.levels =
        placement(config.network.mesh, "S" + std::to_string(which.strategy), config.tree_root);
  return config;
}

Measured measure(const Case& which) {
  Machine machine(config_of(which));
  std::vector<int> members = which.members;
  if (members.empty()) {
    members.resize(static_cast<std::size_t>(which.n * which.n));
    std::iota(members.begin(), members.end(), 0);
  }
  Operation operation;
  operation.communicator = machine.make_communicator(members);
  operation.collective = which.collective;
  operation.bytes = which.bytes;
  operation.means = which.strategy == 0 ? Means::software : Means::hardware;
  for (std::size_t member = 0; member < members.size(); ++member)
    if (members[member] == machine.tree_root()) operation.root = static_cast<int>(member);
  const int count = static_cast<int>(members.size());
  fill_data(operation, count, 1);
  const auto hops = [&] {
    std::uint64_t sum = 0;
    for (int kind = 0; kind < kinds; ++kind) sum += machine.network().packet_hops(static_cast<Kind>(kind));
    return sum;
  };
  const std::uint64_t before = hops();
  const int number = machine.start(operation);
  machine.run();
  check_input(machine.outcome(number).results == reference_results(operation, count),
              "wrong result of a collective");
  Measured measured;
  measured.cycles = measured.at_root = machine.outcome(number).cycles();
  const int root = members[static_cast<std::size_t>(operation.root)];
  if (root != machine.tree_root())
    measured.at_root -= message_cycles(machine.config(), machine.tree_root(), root, which.bytes);
  for (const int member : members)
    measured.links =
        std::max(measured.links, machine.config().network.mesh.distance(member, machine.tree_root()));
  measured.hops = hops() - before;
  measured.predicted =
      which.strategy == 0
          ? predict_software(machine.config(), count, operation)
          : predict_hardware(machine.config(), machine.communicator(operation.communicator).tree, operation);
  measured.table3 =
      table3(which.collective, which.strategy, which.n, table3_terms(machine.config(), which.bytes));
  for (int router = 0; router < which.n * which.n; ++router)
    if (const CollectiveUnit* unit = machine.network().collective_unit(router))
      measured.parked = std::max(measured.parked, unit->parked_most);
  return measured;
}

void Runs::run(const Progress& progress) {
  std::vector<std::pair<const Case*, Measured*>> work;
  for (auto& [which, measured] : results_) work.emplace_back(&which, &measured);
  in_parallel(
      static_cast<int>(work.size()),
      [&](int at) {
        const auto& [which, measured] = work[static_cast<std::size_t>(at)];
        *measured = measure(*which);
      },
      progress);
}

double Runs::software(const Case& hardware) const {
  Case software = hardware;
  software.strategy = 0;
  software.fixed_order = false;
  const Measured& measured = at(software);
  return hardware.parameters == "paper2017" ? measured.table3 : static_cast<double>(measured.cycles);
}

}  // namespace taihu::noc
