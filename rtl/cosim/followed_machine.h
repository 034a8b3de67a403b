// SPDX-License-Identifier: Apache-2.0
// Cores of the model (Machine) that run collectives while the RTL follows the model's network.
#pragma once

#include <cmath>

#include "rtl/cosim/lockstep.h"
#include "taihu/noc/collectives/test_machines.h"

namespace taihu::rtl {

using noc::Arithmetic;
using noc::Collective;
using noc::Machine;
using noc::MachineConfig;

/// A machine whose network is followed by the RTL, with outputs that stall at random.
template <class Model>
class FollowedMachine {
 public:
  FollowedMachine(const MachineConfig& config, double stall, std::uint64_t seed)
      : machine(config), lockstep_(machine.network()), random_(seed), stall_(stall) {
    machine.on_cycle = [this] {
      if (!lockstep_.follow()) throw Error("the RTL has left the model");
      for (int router = 0; router < machine.config().network.mesh.nodes(); ++router) {
        unsigned ports = 0;
        for (int port = 0; port < 5; ++port) ports |= random_.uniform() < stall_ ? 1u << port : 0u;
        lockstep_.stall(router, ports);
      }
    };
  }
  std::size_t flits() const { return lockstep_.flits(); }
  Machine machine;

 private:
  Lockstep<Model> lockstep_;
  Random random_;
  double stall_;
};

inline std::vector<int> random_members(Random& random, int nodes) {
  std::vector<int> members;
  while (members.size() < 2) {
    members.clear();
    for (int node = 0; node < nodes; ++node)
      if (random.below(2) == 0) members.push_back(node);
  }
  return members;
}

/// Factors whose product is exact in any order.
inline void use_exact_factors(noc::Operation& operation, Random& random) {
  for (noc::Bytes& data : operation.data)
    for (std::size_t place = 0; place < data.size(); place += 8) {
      const double factor =
          std::ldexp(random.below(2) == 0 ? 1.0 : -1.0, static_cast<int>(random.below(40)) - 20);
      std::memcpy(data.data() + place, &factor, 8);
    }
}

/// Every collective, operation and many lengths on some communicators, one after the other.
template <class Model>
void run_collectives(const MachineConfig& config, double stall, std::uint64_t seed) {
  FollowedMachine<Model> followed(config, stall, seed);
  Machine& machine = followed.machine;
  Random random(seed);
  const int nodes = config.network.mesh.nodes();
  std::vector<int> communicators{machine.make_communicator(noc::all_nodes(config.network.mesh))};
  communicators.push_back(machine.make_communicator(random_members(random, nodes)));
  communicators.push_back(machine.make_communicator(random_members(random, nodes)));
  int by_hardware = 0;
  for (const int communicator : communicators) {
    const auto members = static_cast<int>(machine.communicator(communicator).members.size());
    const auto run = [&](Collective collective, std::size_t bytes, Arithmetic arithmetic) {
      const int root = static_cast<int>(random.below(static_cast<std::uint64_t>(members)));
      auto operation =
          noc::make_operation(collective, communicator, members, root, bytes, random.next(), arithmetic);
      if (arithmetic == Arithmetic::multiply_double) use_exact_factors(operation, random);
      noc::run_and_check(machine, operation);
    };
    by_hardware += machine.communicator(communicator).hardware;
    for (const std::size_t bytes : {0, 8, 16, 24, 40, 64, 200})
      run(Collective::reduce, bytes, Arithmetic::add_double);
    for (int number = 1; number < noc::arithmetics; ++number)
      run(Collective::allreduce, 8 + 8 * random.below(8), static_cast<Arithmetic>(number));
    for (const std::size_t bytes : {1, 3, 4, 5, 7, 8, 11, 16, 64})
      run(Collective::gather, bytes, Arithmetic::add_double);
    for (const std::size_t bytes : {0, 5, 8, 40, 64, 150})
      run(Collective::broadcast, bytes, Arithmetic::add_double);
    run(Collective::barrier, 0, Arithmetic::add_double);
  }
  EXPECT_GE(by_hardware, 1);
  EXPECT_GT(followed.flits(), nodes < 9 ? 3000u : 4000u);
}

/// Many operations of several communicators at once, more communicators than entries, and ordinary traffic at
/// the same time.
template <class Model>
void run_overlapping(MachineConfig config, int count, std::uint64_t seed) {
  noc::TrafficConfig traffic;
  traffic.load = 0.15;
  traffic.packet_flits = 3;
  config.background = traffic;
  FollowedMachine<Model> followed(config, 0.1, seed);
  Machine& machine = followed.machine;
  Random random(seed);
  const int nodes = config.network.mesh.nodes();
  std::vector<int> communicators;
  for (int number = 0; number < count; ++number)
    communicators.push_back(machine.make_communicator(number == 0 ? noc::all_nodes(config.network.mesh)
                                                                  : random_members(random, nodes)));
  machine.free_communicator(communicators[1]);
  communicators[1] = machine.make_communicator(random_members(random, nodes));
  std::vector<int> operations;
  for (int number = 0; number < 60; ++number) {
    const int communicator = communicators[random.below(communicators.size())];
    const auto members = static_cast<int>(machine.communicator(communicator).members.size());
    const auto collective = static_cast<Collective>(random.below(5));
    auto operation = noc::make_operation(collective, communicator, members,
                                         static_cast<int>(random.below(static_cast<std::uint64_t>(members))),
                                         8 * random.below(13), random.next());
    operation.start = static_cast<noc::Cycle>(random.below(2000)) + machine.now();
    for (int member = 0; member < members; ++member)
      operation.late.push_back(static_cast<noc::Cycle>(random.below(300)));
    operations.push_back(machine.start(operation));
  }
  machine.run();
  for (const int number : operations) {
    const noc::Operation& operation = machine.operation(number);
    const auto members = static_cast<int>(machine.communicator(operation.communicator).members.size());
    EXPECT_EQ(machine.outcome(number).results, noc::reference_results(operation, members));
  }
  EXPECT_GT(followed.flits(), 10000u);
}

}  // namespace taihu::rtl
