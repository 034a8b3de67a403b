// SPDX-License-Identifier: Apache-2.0
// The plain network: routes, the zero-load law, conservation, saturation without deadlock, determinism.
#include <gtest/gtest.h>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/noc/collectives/test_machines.h"
#include "taihu/noc/validation/booksim_curves.h"
#include "taihu/noc/validation/booksim_sweep.h"
#include "taihu/noc/validation/validate.h"
#include "taihu/noc/validation/validate_sweep.h"

namespace taihu::noc {
namespace {

NetworkConfig plain(int width, int height, bool torus = false, Routing routing = Routing::yx) {
  NetworkConfig config;
  config.mesh = Mesh(width, height, torus, routing);
  config.checked = true;
  return config;
}

TEST(Mesh, RoutesAreShortestAndCorrectOneCoordinateFirst) {
  for (const bool torus : {false, true})
    for (const Routing routing : {Routing::yx, Routing::xy}) {
      const Mesh mesh(5, 4, torus, routing);
      for (int from = 0; from < mesh.nodes(); ++from)
        for (int to = 0; to < mesh.nodes(); ++to) {
          int hops = 0;
          bool turned = false;
          for (int here = from; here != to; ++hops) {
            const int port = mesh.route(here, to);
            const bool horizontal = port == east || port == west;
            turned = turned || horizontal == (routing == Routing::yx);
            EXPECT_TRUE(!turned || horizontal == (routing == Routing::yx)) << from << " to " << to;
            here = mesh.neighbour(here, port);
            ASSERT_GE(here, 0);
            ASSERT_LE(hops, 9);
          }
          EXPECT_EQ(hops, mesh.distance(from, to));
          EXPECT_EQ(mesh.route(to, to), local);
        }
    }
}

TEST(Network, ZeroLoadLawHoldsForEveryPair) {
  for (const Reuse reuse : {Reuse::wormhole, Reuse::cut_through, Reuse::atomic})
    for (const int flits : {1, 2, 5})
      for (const int link : {1, 3}) {
        NetworkConfig config = plain(4, 3);
        config.reuse = reuse;
        config.link_cycles = link;
        EXPECT_EQ(zero_load_faults(config, flits), 0) << flits << " flits, link " << link;
      }
  EXPECT_EQ(zero_load_faults(plain(4, 4, true), 5), 0);
  EXPECT_EQ(zero_load_faults(plain(1, 6), 5), 0);
  EXPECT_EQ(zero_load_faults(plain(6, 1, false, Routing::xy), 5), 0);
}

/// Arrival cycles of two packets of one flit on the same route, one directly behind the other, in one VC.
std::vector<Cycle> arrivals_of_two(RouteAt route_at) {
  NetworkConfig config = plain(3, 1);
  config.vcs = 1;
  config.route_at = route_at;
  Network network(config);
  for (int number = 0; number < 2; ++number) {
    const Slot slot = network.make_packet();
    network.packet(slot).destination = 2;
    network.packet(slot).flits = 1;
    network.enqueue(slot);
  }
  std::vector<Cycle> arrivals;
  while (!network.idle()) {
    network.step();
    for (const Delivery& delivery : network.deliveries()) {
      arrivals.push_back(network.now() - 1);
      network.drop(delivery.slot);
    }
  }
  return arrivals;
}

TEST(Network, AHeadRoutedAtTheFrontOfItsBufferTakesACycleMoreBehindAnotherPacket) {
  const Cycle first = zero_load_latency(plain(3, 1), 2, 1);
  // The second one is written a cycle behind the first and waits for its tail: VA in the next cycle, or RC
  // and VA.
  EXPECT_EQ(arrivals_of_two(RouteAt::write), (std::vector<Cycle>{first, first + 2}));
  EXPECT_EQ(arrivals_of_two(RouteAt::front), (std::vector<Cycle>{first, first + 3}));
  NetworkConfig config = plain(4, 3);
  config.route_at = RouteAt::front;
  EXPECT_EQ(zero_load_faults(config, 5), 0);
}

/// Flits per cycle of one VC with room for five, under longer packets.
double flits_of_one_vc(bool bypass, int packet_flits) {
  NetworkConfig config = plain(2, 1);
  config.vcs = 1;
  config.bypass = bypass;
  TrafficConfig traffic;
  traffic.pattern = Pattern::bit_complement;
  traffic.packet_flits = packet_flits;
  traffic.load = 1;
  return measure_load(config, traffic, {500, 6000, 0}).accepted;
}

TEST(Network, ACreditComesRoundACycleSoonerWithBypass) {
  // Six rounds of five flits, then the last flit, then VA and SA of the next head.
  EXPECT_NEAR(flits_of_one_vc(false, 31), 31.0 / (6 * 7 + 3), 0.005);
  EXPECT_NEAR(flits_of_one_vc(true, 31), 31.0 / (6 * 6 + 4), 0.005);
}

TEST(Network, AVcIsGivenAwayBeforeItHasACreditAgain) {
  // The tail takes the last credit. VA of the next head is done when the first one comes back. The credit of
  // a head comes a cycle later than those of other flits, because a head leaves the next buffer a cycle
  // later.
  EXPECT_NEAR(flits_of_one_vc(false, 10), 10.0 / (8 + 7), 0.005);
}

TEST(Network, BypassKeepsTheZeroLoadLawAndLosesNothing) {
  for (const RouteAt route_at : {RouteAt::write, RouteAt::front})
    for (const Reuse reuse : {Reuse::wormhole, Reuse::cut_through, Reuse::atomic}) {
      NetworkConfig config = plain(4, 3);
      config.bypass = true;
      config.route_at = route_at;
      config.reuse = reuse;
      for (const int flits : {1, 2, 5}) EXPECT_EQ(zero_load_faults(config, flits), 0) << flits << " flits";
      TrafficConfig traffic;
      traffic.load = 1;
      traffic.queue_limit = 8;
      Network network(config);
      EXPECT_GT(measure_load(network, traffic, {0, 2000, 0}, nullptr).accepted, 0.3);
    }
  EXPECT_THROW(
      {
        NetworkConfig config = machine_config(2, 2, "all").network;
        config.bypass = true;
        Network network(config);
      },
      Error);
}

/// Share of its cycles in which the link from node 0 to node 1 of a 4x4 mesh carries a flit under transpose:
/// three flows that all come to node 0 by one port.
double corner_link(RouteAt route_at, bool bypass) {
  NetworkConfig config = plain(4, 4);
  config.checked = false;
  config.route_at = route_at;
  config.bypass = bypass;
  TrafficConfig traffic;
  traffic.pattern = Pattern::transpose;
  traffic.load = 0.32;
  Network network(config);
  measure_load(network, traffic, {2000, 20000, 0}, nullptr);
  return static_cast<double>(network.flits_over(0, east)) / static_cast<double>(network.now());
}

/// Both VCs of the port fall into step: tails leave in successive cycles, and the next head's RC and VA take
/// two.
TEST(Network, TwoVcsInStepLoseACycleOfElevenWhenHeadsAreRoutedAtTheFront) {
  EXPECT_NEAR(corner_link(RouteAt::front, true), 10.0 / 11, 0.01);
  EXPECT_GT(corner_link(RouteAt::front, false), 0.94);
  EXPECT_GT(corner_link(RouteAt::write, true), 0.94);
}

/// The record for comparison with a second implementation: each flit of a packet at each router, cycle by
/// cycle.
TEST(Network, MovesNameEveryFlitAtEveryRouterInItsCycle) {
  NetworkConfig config = plain(3, 3);
  Network network(config);
  std::vector<FlitMove> moves;
  network.moves = &moves;
  const Slot slot = network.make_packet();
  network.packet(slot).source = 0;
  network.packet(slot).destination = 8;
  network.packet(slot).flits = 3;
  network.enqueue(slot);
  const int routers[] = {0, 0, 3, 6, 7, 8};
  const int ports[] = {FlitMove::from_core, south, south, east, east, local};
  int seen = 0;
  while (!network.idle()) {
    const Cycle cycle = network.now();
    network.step();
    for (const FlitMove& move : moves) {
      const int number = number_of(move.flit);
      EXPECT_EQ(slot_of(move.flit), slot);
      EXPECT_EQ(is_tail(move.flit), number == 2);
      // Into the network in cycle 0, 1, 2; through the switch of router k in cycle 3 + 5 k + flit.
      const Cycle stage = (cycle - number - 3) / 5 + 1;
      const auto at = static_cast<std::size_t>(cycle == number ? 0 : stage);
      ASSERT_LT(at, std::size(routers));
      if (at != 0) {
        EXPECT_EQ((cycle - number - 3) % 5, 0);
      }
      EXPECT_EQ(move.router, routers[at]) << cycle;
      EXPECT_EQ(move.port, ports[at]) << cycle;
      EXPECT_EQ(move.vc, 0);
      ++seen;
    }
    moves.clear();
    for (const Delivery& delivery : network.deliveries()) network.drop(delivery.slot);
  }
  EXPECT_EQ(seen, 3 * 6);
}

TEST(Network, SaturationNeitherLosesNorBlocks) {
  for (const bool torus : {false, true})
    for (const int vcs : {2, 3, 8})
      for (const Reuse reuse : {Reuse::wormhole, Reuse::cut_through, Reuse::atomic})
        for (const Pattern pattern : {Pattern::uniform, Pattern::tornado, Pattern::hotspot}) {
          NetworkConfig config = plain(4, 4, torus);
          config.vcs = vcs;
          config.reuse = reuse;
          config.watchdog_cycles = 500;
          TrafficConfig traffic;
          traffic.pattern = pattern;
          traffic.load = 1;
          traffic.queue_limit = 8;
          Network network(config);
          Traffic source(config.mesh, traffic);
          for (int cycle = 0; cycle < 600; ++cycle) {
            source.make_packets(network, true);
            network.step();
            for (const Delivery& delivery : network.deliveries()) {
              EXPECT_EQ(network.packet(delivery.slot).destination, delivery.node);
              network.drop(delivery.slot);
            }
          }
          EXPECT_GT(network.ejected_flits(), 600u);
          while (!network.idle()) {
            network.step();
            for (const Delivery& delivery : network.deliveries()) network.drop(delivery.slot);
          }
          EXPECT_EQ(network.packets_alive(), 0u);
          EXPECT_EQ(network.measured_alive(), 0);
        }
}

TEST(Network, OneVcAndLongPacketsInAMesh) {
  NetworkConfig config = plain(3, 3);
  config.vcs = 1;
  config.depth = 2;
  TrafficConfig traffic;
  traffic.packet_flits = 17;
  traffic.load = 0.1;
  const LoadPoint point = measure_load(config, traffic, {200, 2000, 5000});
  EXPECT_FALSE(point.saturated);
  EXPECT_NEAR(point.accepted, 0.1, 0.03);
}

TEST(Network, SaturationLiesWherePublishedSimulatorsSeeIt) {
  NetworkConfig config = plain(8, 8);
  config.checked = false;
  TrafficConfig traffic;
  traffic.load = 1;
  EXPECT_NEAR(measure_load(config, traffic, {1000, 3000, 0}).accepted, 0.335, 0.02);
  config.reuse = Reuse::atomic;
  EXPECT_NEAR(measure_load(config, traffic, {1000, 3000, 0}).accepted, 0.214, 0.015);
}

TEST(Network, LatenciesAreBooksimsUpTo70PercentOfSaturation) {
  for (const BooksimCurve& curve : booksim_curves) {
    if (curve.size > plain_or_sanitized(8, 4)) continue;  // `nocsim validate` has those of 16
    NetworkConfig config = plain(curve.size, curve.size);
    config.checked = false;
    config.route_at = RouteAt::front;  // as BookSim's routers
    config.bypass = true;
    for (const BooksimPoint& point : curve.points) {
      TrafficConfig traffic;
      traffic.pattern = curve.pattern;
      traffic.load = point.load;
      const double mean =
          measure_load(config, traffic,
                       {1000, curve.size == 4 ? plain_or_sanitized(40000, 10000) : 4000, 5000})
              .mean;
      EXPECT_NEAR(mean / (point.latency - booksim_extra_cycles), 1, latency_tolerance)
          << curve.size << " " << to_text(curve.pattern) << " at " << point.load;
    }
  }
}

/// VCs that the packets of a core take, one flit each, while its router sends nothing.
std::vector<int> vcs_taken(int vcs, int packets) {
  NetworkConfig config = plain(2, 1);
  config.vcs = vcs;
  Network network(config);
  const std::vector<std::uint8_t> stalls = {0x1f, 0x1f};
  std::vector<FlitMove> moves;
  network.stalls = &stalls;
  network.moves = &moves;
  for (int number = 0; number < packets; ++number) {
    const Slot slot = network.make_packet();
    network.packet(slot).destination = 1;
    network.enqueue(slot);
  }
  for (int cycle = 0; cycle < packets + 5; ++cycle) network.step();
  std::vector<int> taken;
  for (const FlitMove& move : moves) taken.push_back(move.vc);
  return taken;
}

TEST(Network, TheEmptiestVcIsTakenAndEqualOnesInTurns) {
  EXPECT_EQ(vcs_taken(2, 6), (std::vector<int>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(vcs_taken(3, 7), (std::vector<int>{0, 1, 2, 0, 1, 2, 0}));
}

/// Three packets for the east and one for the north wait in the four VCs of one input port.
TEST(Network, OutputsOfAnInputPortTakeTurnsHoweverManyVcsWantEach) {
  NetworkConfig config = plain(3, 3);
  config.vcs = 4;
  Network network(config);
  std::vector<std::uint8_t> stalls(9, 0x1f);
  std::vector<FlitMove> moves;
  network.stalls = &stalls;
  for (const int destination : {5, 5, 5, 1}) {
    const Slot slot = network.make_packet();
    network.packet(slot).source = 4;
    network.packet(slot).destination = static_cast<std::uint16_t>(destination);
    network.packet(slot).flits = 5;
    network.enqueue(slot);
  }
  for (int cycle = 0; cycle < 30; ++cycle) network.step();
  network.moves = &moves;
  std::fill(stalls.begin(), stalls.end(), 0);
  std::vector<int> ports;
  while (ports.size() < 10) {
    network.step();
    for (const FlitMove& move : moves)
      if (move.router == 4 && move.port != local) ports.push_back(move.port);
    moves.clear();
  }
  std::vector<int> turns;
  for (int turn = 0; turn < 5; ++turn) turns.insert(turns.end(), {east, north});
  EXPECT_EQ(ports, turns);
}

TEST(Network, OfTwoWaysAroundARingBothAreUsed) {
  NetworkConfig config = plain(4, 4, true);
  Network network(config);
  TrafficConfig traffic;
  traffic.load = 0.2;
  measure_load(network, traffic, {0, 4000, 0}, nullptr);
  std::uint64_t ahead = 0, back = 0;
  for (int router = 0; router < 16; ++router) {
    ahead += network.flits_over(router, east) + network.flits_over(router, south);
    back += network.flits_over(router, west) + network.flits_over(router, north);
  }
  // If ties always took the same way round, three times as many would go ahead as back.
  EXPECT_NEAR(static_cast<double>(ahead) / static_cast<double>(back), 1, 0.1);
}

/// Tori, long packets, many VCs. `nocsim validate --sweep` has the large networks, too.
TEST(Network, LatenciesAreBooksimsInConfigurationsOfManyKinds) {
  int compared = 0;
  for (const SweptCurve& curve : swept_curves) {
    if (curve.size > plain_or_sanitized(4, 3)) continue;
    const SweepRow row = latencies_beside(curve);
    for (const Comparison& point : row.compared) {
      EXPECT_NEAR(point.ours / point.theirs, 1, latency_tolerance)
          << row.network.mesh.describe() << " " << to_text(row.traffic.pattern) << ", " << row.network.vcs
          << " VCs of " << row.network.depth << ", packets of " << row.traffic.packet_flits << " at "
          << point.load;
      ++compared;
    }
  }
  EXPECT_GE(compared, plain_or_sanitized(20, 15));
}

TEST(Network, SameSeedSameRun) {
  TrafficConfig traffic;
  traffic.load = 0.25;
  const auto run = [&] { return measure_load(plain(4, 4), traffic, {100, 1000, 1000}); };
  const LoadPoint first = run(), second = run();
  EXPECT_EQ(first.mean, second.mean);
  EXPECT_EQ(first.packets, second.packets);
  traffic.seed = 2;
  EXPECT_NE(run().mean, first.mean);
}

TEST(Network, OfferedLoadIsAccepted) {
  NetworkConfig config = plain(8, 8);
  config.checked = false;
  TrafficConfig traffic;
  for (const Pattern pattern :
       {Pattern::uniform, Pattern::transpose, Pattern::bit_complement, Pattern::tornado}) {
    traffic.pattern = pattern;
    traffic.load = 0.05;
    const LoadPoint point = measure_load(config, traffic, {500, 8000, 2000});
    EXPECT_NEAR(point.accepted, 0.05, 0.004) << to_text(pattern);
    EXPECT_NEAR(point.mean, mean_zero_load_latency(config, traffic), 2.5) << to_text(pattern);
  }
  traffic.load = 0;
  EXPECT_EQ(measure_load(config, traffic, {10, 10, 10}).packets, 0u);
}

/// No accepted configuration can deadlock. So this test makes a fault: a unit that never ends its work.
TEST(Network, DeadlockIsReportedWithWhoHoldsWhat) {
  MachineConfig config = machine_config(2, 2, "all");
  config.network.watchdog_cycles = 100;
  Network network(config.network);
  CollectiveUnit* unit = network.collective_unit(0);
  unit->claim(7)->total = 2;
  unit->working = true;  // and nobody will ever end its work
  unit->source_index = 0;
  unit->taken_slot = network.make_packet();
  network.packet(unit->taken_slot).flits = 5;
  for (int number = 0; number < 3; ++number) {
    const Slot slot = network.make_packet();
    Packet& packet = network.packet(slot);
    packet.kind = Kind::reduce;
    packet.source = 0;
    packet.communicator = 7;
    packet.operation = static_cast<std::uint32_t>(number);
    packet.bytes = 64;
    packet.flits = 5;
    network.enqueue(slot);
  }
  try {
    for (int cycle = 0; cycle < 1000; ++cycle) network.step();
    FAIL() << "no deadlock was seen";
  } catch (const DeadlockError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("deadlock: no flit has moved for 100 cycles"), std::string::npos) << text;
    EXPECT_NE(
        text.find("router 0 local vc 0: 5 flits, front reduce packet 0 -> 0, waits for the collective unit"),
        std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace taihu::noc
