// SPDX-License-Identifier: Apache-2.0
// Meshes with level-1 and level-2 routers: cores of the model (Machine) run collectives on the model's
// network, the RTL gets the same packets and has to send the same flits in the same cycles. And the RTL
// alone: cores that know only the wire format learn a tree, reduce and broadcast; values are checked against
// a sequential reference.
#include <cmath>

#include "MeshMixed.h"
#include "MeshRow.h"
#include "rtl/cosim/lockstep.h"
#include "taihu/noc/test_machines.h"

namespace taihu::rtl {
namespace {

using noc::Arithmetic;
using noc::Collective;
using noc::Machine;
using noc::MachineConfig;

/// As MeshRow: the root's row of level 1, the others of level 2.
MachineConfig row_config() {
  MachineConfig config = noc::machine_config(4, 4, "S2");
  config.costs.hardware_send = config.costs.hardware_receive = config.costs.restart = 3;
  return config;
}

/// As MeshMixed: X-Y, long links, three VCs, an unpipelined unit of three cycles, one plain router in a
/// corner.
MachineConfig mixed_config() {
  MachineConfig config = noc::machine_config(3, 3, "S2", "paper2017");
  config.network.mesh = noc::Mesh(3, 3, false, noc::Routing::xy);
  config.network.levels = {1, 2, 1, 2, 1, 1, 1, 2, 0};
  config.network.reuse = noc::Reuse::atomic;
  config.network.vcs = 3;
  config.network.link_cycles = 2;
  config.network.unit.communicators = 3;
  config.network.unit.operations = 12;
  config.network.unit.arithmetic_cycles = 3;
  config.costs.hardware_send = config.costs.hardware_receive = config.costs.restart = 2;
  config.tree_root = 4;
  return config;
}

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

std::vector<int> random_members(Random& random, int nodes) {
  std::vector<int> members;
  while (members.size() < 2) {
    members.clear();
    for (int node = 0; node < nodes; ++node)
      if (random.below(2) == 0) members.push_back(node);
  }
  return members;
}

/// Factors whose product is exact in any order.
void use_exact_factors(noc::Operation& operation, Random& random) {
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
  EXPECT_GT(followed.flits(), 4000u);
}

/// Many operations of several communicators at once, more communicators than entries, ordinary traffic
/// beside.
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

TEST(CollectiveRouters, CollectivesAgreeWithTheModel) {
  run_collectives<MeshRow>(row_config(), 0, 1);
}

TEST(CollectiveRouters, CollectivesAgreeWithTheModelWhenOutputsStall) {
  run_collectives<MeshRow>(row_config(), 0.3, 2);
}

TEST(CollectiveRouters, OtherParametersAgreeWithTheModel) {
  MachineConfig config = mixed_config();
  run_collectives<MeshMixed>(config, 0.1, 3);
}

TEST(CollectiveRouters, OverlappingOperationsBesideTrafficAgreeWithTheModel) {
  run_overlapping<MeshRow>(row_config(), 7, 4);
  run_overlapping<MeshMixed>(mixed_config(), 4, 5);
}

/// Cores that see nothing but flits.
class WireCores {
 public:
  static constexpr int nodes = 16, root = 5;

  /// Hands a packet of these words to the interface of `node`.
  void send(int node, noc::Kind kind, int operation, const std::vector<std::uint64_t>& words,
            Arithmetic arithmetic = Arithmetic::add_double) {
    noc::Packet packet;
    packet.kind = kind;
    packet.source = static_cast<std::uint16_t>(node);
    packet.destination = root;
    packet.communicator = 3;
    packet.operation = static_cast<std::uint32_t>(operation);
    packet.arithmetic = arithmetic;
    packet.bytes = static_cast<std::uint8_t>(8 * words.size());
    packet.flits = static_cast<std::uint8_t>(noc::flits_for_bytes(packet.bytes));
    std::copy(words.begin(), words.end(), packet.data.begin());
    for (int number = 0; number < packet.flits; ++number) rtl_.inject(node, wire_flit(mesh_, packet, number));
  }

  struct Received {
    int node;
    WireFlit head;
    std::vector<std::uint64_t> words;
  };
  /// Runs until `count` packets have arrived.
  std::vector<Received> receive(std::size_t count) {
    std::vector<Received> done;
    std::vector<Sent> arrived;
    for (int cycle = 0; cycle < 5000 && done.size() < count; ++cycle) {
      rtl_.step();
      rtl_.arrived(arrived);
      for (const Sent& sent : arrived) {
        Received& packet = open_[sent.link][sent.vc];
        if (sent.flit.head)
          packet = {sent.link, sent.flit, {sent.flit.low}};
        else
          packet.words.insert(packet.words.end(), {sent.flit.low, sent.flit.high});
        if (!sent.flit.tail) continue;
        packet.words.resize(field(packet.head, length_bit, 7) / 8);
        done.push_back(packet);
      }
    }
    EXPECT_EQ(done.size(), count);
    EXPECT_FALSE(rtl_.fault());
    return done;
  }

 private:
  noc::Mesh mesh_{4, 4, false, noc::Routing::yx};
  RtlMesh<MeshRow> rtl_{nodes, 2};
  Received open_[nodes][2];
};

TEST(CollectiveRouters, WholeMeshOfRtlAloneLearnsReducesAndBroadcasts) {
  WireCores cores;
  for (int node = 0; node < WireCores::nodes; ++node) cores.send(node, noc::Kind::learn, 0, {});
  for (const auto& packet : cores.receive(WireCores::nodes)) {
    EXPECT_EQ(packet.node, WireCores::root);
    EXPECT_EQ(packet.head.low & 1, 0u) << "a router had no entry left";
  }
  Random random(9);
  for (int operation = 0; operation < 40; ++operation) {
    const auto arithmetic = static_cast<Arithmetic>(operation % noc::arithmetics);
    const auto words = static_cast<std::size_t>(random.below(9));
    std::vector<std::uint64_t> expected;
    for (int node = 0; node < WireCores::nodes; ++node) {
      std::vector<std::uint64_t> own;
      for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t whole = 1 + random.below(7);
        const bool real = arithmetic <= Arithmetic::max_double;
        own.push_back(real ? std::bit_cast<std::uint64_t>(static_cast<double>(whole)) : whole);
      }
      if (node == 0) expected = own;
      for (std::size_t word = 0; node > 0 && word < words; ++word)
        expected[word] = noc::combine(arithmetic, expected[word], own[word]);
      cores.send(node, noc::Kind::reduce, operation, own, arithmetic);
    }
    const auto result = cores.receive(1);
    ASSERT_EQ(result.size(), 1u);
    EXPECT_EQ(result[0].node, WireCores::root);
    EXPECT_EQ(field(result[0].head, weight_bit, 9), 16u);
    EXPECT_EQ(result[0].words, expected) << to_text(arithmetic) << ", operation " << operation;
    cores.send(WireCores::root, noc::Kind::broadcast, operation, result[0].words);
    std::vector<int> times(WireCores::nodes);
    for (const auto& packet : cores.receive(WireCores::nodes - 1)) {
      ++times[static_cast<std::size_t>(packet.node)];
      EXPECT_EQ(packet.words, expected);
    }
    for (int node = 0; node < WireCores::nodes; ++node)
      EXPECT_EQ(times[static_cast<std::size_t>(node)], node == WireCores::root ? 0 : 1) << node;
  }
}

}  // namespace
}  // namespace taihu::rtl
