// SPDX-License-Identifier: Apache-2.0
// Meshes with level-1 and level-2 routers: cores of the model (Machine) run collectives on the model's
// network. The RTL gets the same packets and has to send the same flits in the same cycles. Then the RTL
// alone: cores that know only the wire format learn a tree, reduce and broadcast, and values are checked
// against a sequential reference.
#include "MeshRow.h"
#include "MeshSlow.h"
#include "rtl/cosim/followed_machine.h"

namespace taihu::rtl {
namespace {

/// As MeshRow: the root's row of level 1, the others of level 2.
MachineConfig row_config() {
  MachineConfig config = noc::machine_config(4, 4, "S2");
  config.costs.hardware_send = config.costs.hardware_receive = config.costs.restart = 3;
  return config;
}

TEST(CollectiveRouters, CollectivesAgreeWithTheModel) {
  run_collectives<MeshRow>(row_config(), 0, 1);
}

TEST(CollectiveRouters, CollectivesAgreeWithTheModelWhenOutputsStall) {
  run_collectives<MeshRow>(row_config(), 0.3, 2);
}

TEST(CollectiveRouters, OverlappingOperationsBesideTrafficAgreeWithTheModel) {
  run_overlapping<MeshRow>(row_config(), 7, 4);
}

/// As MeshSlow: the root in the middle, VCs are given away when empty, the arithmetic unit takes a word only
/// when the last one is done, and a corner is plain, so that communicators with it run in software.
MachineConfig slow_config() {
  MachineConfig config = noc::machine_config(3, 3, "S2");
  config.costs.hardware_send = config.costs.hardware_receive = config.costs.restart = 3;
  config.costs.pipelined = false;
  config.network.unit.arithmetic_cycles = 4;
  config.network.reuse = noc::Reuse::atomic;
  config.tree_root = 4;
  config.network.levels = noc::placement(config.network.mesh, "S2", config.tree_root);
  config.network.levels.back() = 0;
  return config;
}

TEST(CollectiveRouters, UnpipelinedArithmeticAndEmptyVcsAgreeWithTheModel) {
  run_collectives<MeshSlow>(slow_config(), 0, 3);
  run_collectives<MeshSlow>(slow_config(), 0.3, 6);
}

TEST(CollectiveRouters, OverlappingOperationsWithUnpipelinedArithmeticAgreeWithTheModel) {
  run_overlapping<MeshSlow>(slow_config(), 5, 7);
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
