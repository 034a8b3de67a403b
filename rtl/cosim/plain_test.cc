// SPDX-License-Identifier: Apache-2.0
// Meshes of plain routers against the model, flit by flit and cycle by cycle: traffic that comes and goes,
// packets of all lengths, outputs that stall at random.
#include "MeshCut.h"
#include "MeshPlain.h"
#include "rtl/cosim/lockstep.h"
#include "taihu/base/random.h"

namespace taihu::rtl {
namespace {

using noc::NetworkConfig;

void add_packet(noc::Network& network, Random& random, int source, int destination, int most_flits) {
  const noc::Slot slot = network.make_packet();
  noc::Packet& packet = network.packet(slot);
  packet.source = static_cast<std::uint16_t>(source);
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.flits = static_cast<std::uint8_t>(1 + random.below(static_cast<std::uint64_t>(most_flits)));
  for (std::uint64_t& word : packet.data) word = random.next();
  network.enqueue(slot);
}

/// Phases of 500 cycles, each with its own load, pattern and share of stalled outputs; at the end every
/// packet is delivered.
template <class Model>
void compare(const NetworkConfig& config, int most_flits, std::uint64_t seed, int phases) {
  noc::Network network(config);
  Lockstep<Model> lockstep(network);
  Random random(seed);
  const auto nodes = static_cast<std::uint64_t>(config.mesh.nodes());
  std::size_t handed = 0, delivered = 0;
  const auto cycle = [&](double load, double stall, int hot) {
    for (int node = 0; node < config.mesh.nodes(); ++node) {
      if (random.uniform() < load && network.queue_length(node) < 8) {
        const bool to_hot = hot >= 0 && random.below(2) == 0;
        add_packet(network, random, node, to_hot ? hot : static_cast<int>(random.below(nodes)), most_flits);
        ++handed;
      }
      unsigned ports = 0;
      for (int port = 0; port < 5; ++port) ports |= random.uniform() < stall ? 1u << port : 0u;
      lockstep.stall(node, ports);
    }
    network.step();
    const bool same = lockstep.follow();
    for (const noc::Delivery& delivery : network.deliveries()) network.drop(delivery.slot);
    delivered += network.deliveries().size();
    return same;
  };
  for (int phase = 0; phase < phases; ++phase) {
    const double load = phase % 4 == 0 ? 0.01 : phase % 4 == 1 ? 0.1 : 0.6;
    const double stall = phase % 3 == 0 ? 0 : phase % 3 == 1 ? 0.2 : 0.7;
    const int hot = phase % 5 == 4 ? static_cast<int>(random.below(nodes)) : -1;
    for (int number = 0; number < 500; ++number)
      if (!cycle(load, stall, hot)) return;
  }
  for (int number = 0; number < 20000 && !network.idle(); ++number)
    if (!cycle(0, 0.1, -1)) return;
  for (int number = 0; number < 8; ++number)
    if (!cycle(0, 0, -1)) return;
  EXPECT_TRUE(network.idle());
  EXPECT_EQ(delivered, handed);
  EXPECT_GT(handed, 1000u);
  testing::Test::RecordProperty("packets", static_cast<int>(handed));
  testing::Test::RecordProperty("flits", static_cast<int>(lockstep.flits()));
}

NetworkConfig plain_config() {
  NetworkConfig config;
  config.mesh = noc::Mesh(4, 4, false, noc::Routing::yx);
  config.checked = true;
  return config;
}

TEST(PlainRouter, WormholeMeshAgreesWithTheModel) {
  compare<MeshPlain>(plain_config(), 5, 1, 30);
  compare<MeshPlain>(plain_config(), 1, 2, 15);
  compare<MeshPlain>(plain_config(), 31, 3, 15);
}

/// As MeshCut, whose routers find the ports of heads in front.
TEST(PlainRouter, CutThroughMeshWithLongLinksAgreesWithTheModel) {
  NetworkConfig config;
  config.mesh = noc::Mesh(3, 2, false, noc::Routing::xy);
  config.vcs = 3;
  config.depth = 8;
  config.link_cycles = 2;
  config.reuse = noc::Reuse::cut_through;
  config.route_at = noc::RouteAt::front;
  config.checked = true;
  compare<MeshCut>(config, 8, 4, 40);
}

/// The comparison finds a single cycle's difference: a stall that only the RTL sees.
TEST(PlainRouter, AnOutputThatOnlyTheRtlStallsIsFound) {
  noc::Network network(plain_config());
  RtlMesh<MeshPlain> rtl(16, 2);
  std::vector<noc::FlitMove> moves;
  network.moves = &moves;
  Random random(5);
  add_packet(network, random, 0, 1, 1);
  rtl.inject(0, wire_flit(network.config().mesh, network.packet(0), 0));
  std::vector<Sent> sent;
  int model_cycle = -1, rtl_cycle = -1;
  for (int cycle = 0; cycle < 20; ++cycle) {
    rtl.stall(0, cycle == 3 ? 1u << noc::east : 0u);
    network.step();
    rtl.step();
    for (const noc::FlitMove& move : moves)
      if (move.router == 0 && move.port == noc::east) model_cycle = cycle;
    moves.clear();
    rtl.sent(sent);
    for (const Sent& each : sent)
      if (each.link == noc::east) rtl_cycle = cycle;
  }
  EXPECT_EQ(model_cycle, 3);
  EXPECT_EQ(rtl_cycle, model_cycle + 1 + 1);
}

}  // namespace
}  // namespace taihu::rtl
