// SPDX-License-Identifier: Apache-2.0
// The simulator against closed forms on small networks.
#include "taihu/model/network_simulation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "taihu/base/error.h"
#include "taihu/schedule/plain_choice.h"

namespace taihu::model {
namespace {

using schedule::Buffer;
using schedule::Place;
using schedule::Program;
using schedule::Rounds;
using topology::FatTree;
using topology::LinkRates;
using topology::make_interconnect;

// 1 byte in a second, 1 s of latency for each message and 0.25 s for each link.
constexpr LinkRates rates{1, 0.25, 1};

std::vector<int> first_nodes(int count) {
  std::vector<int> nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

SimulationOptions free_messages(std::size_t eager_bytes = 0) {
  SimulationOptions options;
  options.costs = {0, 0, eager_bytes, 1e30};
  return options;
}

/// One round, the same program for all.
schedule::Schedule single(std::function<Program(Place)> program) {
  return {"test", 1, 0, [program](Place place, std::size_t, Rounds) { return program(place); }};
}

double seconds(const topology::Interconnect& network, int members, const schedule::Schedule& schedule,
               const SimulationOptions& options) {
  return simulate_network(network, first_nodes(members), schedule, options).seconds;
}

TEST(NetworkSimulation, OneMessageTakesItsLatencyAndItsBytes) {
  const auto network = make_interconnect(FatTree{2, 4, 1}, rates);
  const auto schedule = single([](Place place) {
    Program program;
    if (place.me == 0) program.send(0, 5, Buffer::source, 0, 10);
    if (place.me == 5) program.receive(0, 0, Buffer::result, 0, 10);
    return program;
  });
  EXPECT_DOUBLE_EQ(seconds(*network, 6, schedule, free_messages()), 1 + 4 * 0.25 + 10);
  SimulationOptions options;
  options.costs = {2, 3, 0, 1e30};
  EXPECT_DOUBLE_EQ(seconds(*network, 6, schedule, options), 2 + 1 + 4 * 0.25 + 10 + 3);
}

TEST(NetworkSimulation, ShortMessagesDoNotWaitForTheirReceiver) {
  const auto network = make_interconnect(FatTree{1, 4, 1}, rates);
  // Member 1 copies for 100 s before it receives; then member 0 gets an answer.
  const auto schedule = single([](Place place) {
    Program program;
    if (place.me == 0) program.send(0, 1, Buffer::source, 0, 10);
    if (place.me == 1) program.copy(0, Buffer::result, 0, Buffer::source, 0, 100);
    if (place.me == 1) program.receive(0, 0, Buffer::result, 0, 10);
    return program;
  });
  SimulationOptions options = free_messages();
  options.costs.copy_bytes_per_second = 1;
  const double way = 1 + 2 * 0.25 + 10;
  EXPECT_DOUBLE_EQ(seconds(*network, 2, schedule, options), 100 + way);
  options.costs.eager_bytes = 10;
  EXPECT_DOUBLE_EQ(seconds(*network, 2, schedule, options), 100);
}

TEST(NetworkSimulation, SendersToOneReceiverShareItsLink) {
  const auto network = make_interconnect(FatTree{1, 8, 1}, rates);
  const auto schedule = single([](Place place) {
    Program program;
    for (int k = 1; k < place.members; ++k) {
      if (place.me == 0) program.receive(0, k, Buffer::result, 0, static_cast<std::size_t>(k));
      if (place.me == k) program.send(0, 0, Buffer::source, 0, static_cast<std::size_t>(k));
    }
    return program;
  });
  // Whatever their lengths, the link is never idle.
  EXPECT_NEAR(seconds(*network, 6, schedule, free_messages()), 1.5 + 1 + 2 + 3 + 4 + 5, 1e-9);
}

TEST(NetworkSimulation, RingAndRowsOnANetworkThatIsNotTapered) {
  const auto network = make_interconnect(FatTree{1, 64, 64}, rates);
  for (const int n : {1, 2, 7, 64}) {
    EXPECT_NEAR(seconds(*network, n, schedule::ring_schedule(n, 3), free_messages()), (n - 1) * (1.5 + 3),
                1e-6);
    EXPECT_NEAR(seconds(*network, n, schedule::ring_schedule(n, 3), free_messages(100)), (n - 1) * (1.5 + 3),
                1e-6);
  }
  EXPECT_NEAR(seconds(*network, 64, schedule::rows_schedule(first_nodes(64), 8, 3, 1), free_messages()),
              14 * (1.5 + 8 * 3), 1e-6);
  EXPECT_NEAR(seconds(*network, 64, schedule::bruck_schedule(64, 3), free_messages()), 6 * (1.5 + 32 * 3),
              1e-6);
}

TEST(NetworkSimulation, TaperedUplinksAreSharedByAllThatGoUp) {
  const auto network = make_interconnect(FatTree{2, 8, 2}, rates);
  // Each of supernode 0 sends to its twin in supernode 1: four flows on each of two uplinks.
  const auto schedule = single([](Place place) {
    Program program;
    if (place.me < 8) program.send(0, place.me + 8, Buffer::source, 0, 10);
    if (place.me >= 8) program.receive(0, place.me - 8, Buffer::result, 0, 10);
    return program;
  });
  EXPECT_NEAR(seconds(*network, 16, schedule, free_messages()), 2 + 4 * 10, 1e-9);
}

TEST(NetworkSimulation, MembersOfOneNodeCopyAndShareItsLinks) {
  const auto network = make_interconnect(FatTree{1, 2, 1}, rates);
  const std::vector<int> nodes{0, 0, 1, 1};
  SimulationOptions options = free_messages();
  options.costs.copy_bytes_per_second = 4;
  // Ring of blocks of 8 bytes: rounds 1 and 3 have one message across in each direction, round 2 two.
  const double near = 1 + 2, across = 1.5 + 8;
  const double all = simulate_network(*network, nodes, schedule::ring_schedule(4, 8), options).seconds;
  EXPECT_GE(all, 2 * across + 1.5 + 16);
  EXPECT_LE(all, 2 * across + 1.5 + 16 + near + 3 * 2);
}

TEST(NetworkSimulation, MembersThatWaitForEverAreFound) {
  const auto network = make_interconnect(FatTree{1, 2, 1}, rates);
  const auto schedule = single([](Place place) {
    Program program;
    if (place.me == 0) program.receive(0, 1, Buffer::result, 0, 1);
    return program;
  });
  EXPECT_THROW(seconds(*network, 2, schedule, free_messages()), Error);
  EXPECT_THROW(simulate_network(*network, std::vector<int>{0, 2}, schedule, {}), Error);
}

TEST(NetworkSimulation, EveryByteOfEveryFormTravels) {
  const auto network = make_interconnect(FatTree{4, 8, 2}, {});
  schedule::Placed placed{*network, {}};
  for (int k = 0; k < 20; ++k) placed.nodes.push_back((k * 13) % 32);
  for (const auto& schedule : {schedule::ring_schedule(20, 100), schedule::pairwise_schedule(20, 100),
                               schedule::exchange_schedule("", schedule::two_level_order(placed), 100, 4)}) {
    const NetworkTime time = simulate_network(*network, placed.nodes, schedule, {});
    EXPECT_EQ(time.messages, 20u * 19u) << schedule.name;
    EXPECT_EQ(time.bytes, 20. * 19 * 100);
  }
}

// All flows of the link with the most bytes get the least rate of all, an equal part of that link, and keep
// it to the end: the link is never idle, and no other one needs longer.
TEST(NetworkSimulation, AllAtOnceTakesAsLongAsTheMostLoadedLink) {
  const auto network = make_interconnect(FatTree{4, 8, 2}, {1e9, 0, 0});
  schedule::Placed placed{*network, {}};
  for (int k = 0; k < 20; ++k) placed.nodes.push_back((k * 13) % 32);
  const auto all_at_once = schedule::openmpi_choice(20, 1 << 20);
  ASSERT_EQ(all_at_once.rounds, 1);
  const double time = simulate_network(*network, placed.nodes, all_at_once, free_messages()).seconds;
  EXPECT_NEAR(time, schedule::estimate_seconds(placed, all_at_once, free_messages().costs), 1e-9);
}

TEST(NetworkSimulation, StretchesOfARegularScheduleTellTheWhole) {
  const auto network = make_interconnect(FatTree{1, 64, 64}, rates);
  const double whole = seconds(*network, 64, schedule::ring_schedule(64, 3), free_messages());
  const NetworkTime part =
      estimate_network(*network, first_nodes(64), schedule::ring_schedule(64, 3), free_messages(), 2, 8);
  // The ring has 64 rounds, in the first of which everybody copies only.
  EXPECT_NEAR(part.seconds, whole * 64 / 63, 1e-6);
  EXPECT_LT(part.messages, 64u * 24u);
}

/// Seconds of an allgather of blocks of `bytes` on one switch, each member on a node of its own.
double allgather_seconds(int members, std::size_t bytes, const schedule::CollectiveForm& form) {
  const auto network = make_interconnect(FatTree{1, 64, 64}, {});
  return seconds(*network, members, schedule_of(schedule::Collective::allgather, form, members, bytes), {});
}

TEST(NetworkSimulation, AllgathersOfManyInTheBackgroundBeatTheRing) {
  using schedule::Collective;
  for (const int members : {40, 64}) {
    const schedule::CollectiveForm ring =
        plain_form(Collective::allgather, schedule::PlainForm::ring, members);
    for (std::size_t bytes = 16; bytes <= std::size_t{1} << 20; bytes *= 4) {
      const schedule::CollectiveForm chosen =
          plain_form(Collective::allgather, members, bytes, {}, schedule::Progress::in_the_background);
      SCOPED_TRACE(chosen.name + ", " + std::to_string(bytes) + " bytes of " + std::to_string(members));
      const double gain = allgather_seconds(members, bytes, ring) / allgather_seconds(members, bytes, chosen);
      EXPECT_GE(gain, bytes <= 1024 ? 3 : bytes <= 4096 ? 1.5 : 0.8);
    }
  }
}

}  // namespace
}  // namespace taihu::model
