// SPDX-License-Identifier: Apache-2.0
// Every collective's value against the sequential reference, learned tables against computed ones, and
// everything at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taihu/noc/collectives/model.h"
#include "taihu/noc/collectives/test_machines.h"

namespace taihu::noc {
namespace {

constexpr Collective every_collective[] = {Collective::reduce, Collective::broadcast, Collective::allreduce,
                                           Collective::gather, Collective::barrier};
const char* const every_placement[] = {"S1", "S2", "S3", "all", "none", "plain"};

TEST(Collectives, AllSubsetsOfASmallMesh) {
  for (unsigned subset = 1; subset < 512; ++subset) {
    std::vector<int> members;
    for (int node = 0; node < 9; ++node)
      if ((subset >> node & 1) != 0) members.push_back(node);
    if (members.size() < 2) continue;
    const std::string placed = every_placement[subset % 6];
    MachineConfig config = machine_config(3, 3, placed);
    config.network.checked = subset % 8 == 0;
    Machine machine(config);
    const int communicator = machine.make_communicator(members);
    const int count = static_cast<int>(members.size());
    EXPECT_EQ(machine.communicator(communicator).hardware, placed[0] == 'S' || placed[0] == 'a');
    for (const Collective collective : every_collective)
      run_and_check(machine, make_operation(collective, communicator, count, static_cast<int>(subset) % count,
                                            16, subset));
  }
}

TEST(Collectives, AllSubsetsOfAMeshWithUnitsInEveryWay) {
  for (const char* placed : {"S1", "S2", "S3", "all"})
    for (unsigned subset = 3; subset < 64; ++subset) {
      std::vector<int> members;
      for (int node = 0; node < 6; ++node)
        if ((subset >> node & 1) != 0) members.push_back(node);
      if (members.size() < 2) continue;
      Machine machine(machine_config(2, 3, placed));
      const int communicator = machine.make_communicator(members);
      const int count = static_cast<int>(members.size());
      for (const Collective collective : every_collective)
        run_and_check(machine, make_operation(collective, communicator, count,
                                              static_cast<int>(subset / 3) % count, 24, subset));
    }
}

TEST(Collectives, RandomSubsetsOfLargeMeshes) {
  Random random(42);
  for (int round = 0; round < 16; ++round) {
    const int width = 5 + static_cast<int>(random.below(12)), height = 5 + static_cast<int>(random.below(12));
    MachineConfig config =
        machine_config(width, height, every_placement[round % 4], round % 2 == 0 ? "fair" : "paper2017");
    config.network.checked = false;
    config.network.mesh = Mesh(width, height, false, round % 3 == 0 ? Routing::xy : Routing::yx);
    config.network.levels = placement(config.network.mesh, every_placement[round % 4], config.tree_root);
    std::vector<int> members = all_nodes(config.network.mesh);
    for (std::size_t at = members.size() - 1; at > 0; --at)
      std::swap(members[at], members[random.below(at + 1)]);
    members.resize(2 + random.below(members.size() - 2));
    Machine machine(config);
    const int communicator = machine.make_communicator(members);
    const int count = static_cast<int>(members.size());
    for (const Collective collective : every_collective) {
      const std::size_t bytes = 8 * (1 + random.below(20));
      Operation operation =
          make_operation(collective, communicator, count, static_cast<int>(random.below(members.size())),
                         bytes, random.next(), static_cast<Arithmetic>(round % arithmetics));
      if (operation.arithmetic == Arithmetic::multiply_double) operation.arithmetic = Arithmetic::max_double;
      run_and_check(machine, operation);
    }
  }
}

TEST(Collectives, EveryArithmetic) {
  Machine machine(machine_config(4, 4, "S3"));
  const int communicator = machine.make_communicator(all_nodes(machine.config().network.mesh));
  for (int number = 0; number < arithmetics; ++number) {
    const auto arithmetic = static_cast<Arithmetic>(number);
    Operation operation = make_operation(Collective::allreduce, communicator, 16, 0, 64, 3, arithmetic);
    if (arithmetic == Arithmetic::multiply_double)
      for (Bytes& data : operation.data)
        for (std::size_t place = 0; place < data.size(); place += 8) {
          const double value = data[place] == data[0] ? 2 : -0.5;
          std::memcpy(data.data() + place, &value, 8);
        }
    run_and_check(machine, operation);
  }
}

TEST(Collectives, SizesFromNothingToManySegments) {
  for (const char* placed : {"S2", "plain"}) {
    Machine machine(machine_config(4, 4, placed));
    const int communicator = machine.make_communicator({0, 2, 5, 7, 8, 13});
    for (const std::size_t bytes : {0, 1, 3, 7, 8, 9, 63, 64, 65, 200, 1000, 20000}) {
      run_and_check(machine, make_operation(Collective::gather, communicator, 6, 3, bytes, bytes));
      run_and_check(machine, make_operation(Collective::broadcast, communicator, 6, 1, bytes, bytes));
      run_and_check(machine, make_operation(Collective::reduce, communicator, 6, 2, bytes / 8 * 8, bytes));
      run_and_check(machine, make_operation(Collective::allreduce, communicator, 6, 0, bytes / 8 * 8, bytes));
    }
  }
}

TEST(Collectives, LearnedTablesAreThoseComputedFromTheRoutes) {
  for (const char* placed : {"S1", "S2", "S3", "all"}) {
    Machine machine(machine_config(5, 4, placed));
    const std::vector<int> members = {0, 3, 4, 7, 11, 12, 18, 19};
    const Communicator& communicator = machine.communicator(machine.make_communicator(members));
    for (int router = 0; router < 20; ++router) {
      CollectiveUnit* unit = machine.network().collective_unit(router);
      const LearnedEntry* learned = unit->find(communicator.number);
      const LearnedEntry& computed = communicator.tree.entries[static_cast<std::size_t>(router)];
      ASSERT_EQ(learned != nullptr, computed.total != 0) << router;
      if (learned == nullptr) continue;
      for (std::size_t port = 0; port < 5; ++port) {
        if (unit->level() == 1)
          EXPECT_EQ(learned->counts[port], computed.counts[port]) << router;
        else
          EXPECT_EQ(learned->counts[port] != 0, computed.counts[port] != 0) << router;
      }
      if (unit->level() != 1) continue;
      EXPECT_EQ(learned->total, computed.total);
      EXPECT_EQ(learned->direct, computed.direct);
    }
  }
}

TEST(Collectives, ReduceRightAfterLearningIsComplete) {
  for (const int n : {2, 5, 9}) {
    Machine machine(machine_config(n, n, "S1"));
    const int communicator = machine.make_communicator(all_nodes(machine.config().network.mesh));
    run_and_check(machine, make_operation(Collective::reduce, communicator, n * n, 0, 8, 1));
  }
}

TEST(Collectives, ZeroLoadIsAsPredicted) {
  for (const char* costs : {"fair", "paper2017"})
    for (const char* placed : {"S1", "S2", "S3", "all"})
      for (const int n : {4, 8})
        for (const std::size_t bytes : {8, 16, 32, 64})
          for (const Collective collective :
               {Collective::reduce, Collective::broadcast, Collective::allreduce}) {
            MachineConfig config = machine_config(n, n, placed, costs);
            config.network.checked = false;
            Machine machine(config);
            const int communicator = machine.make_communicator(all_nodes(config.network.mesh));
            const Operation operation =
                make_operation(collective, communicator, n * n, config.tree_root, bytes, 1);
            const Cycle cycles = run_and_check(machine, operation);
            EXPECT_EQ(cycles,
                      predict_hardware(machine.config(), machine.communicator(communicator).tree, operation))
                << costs << " " << placed << " n " << n << " bytes " << bytes << " " << to_text(collective);
          }
}

/// Starts many operations of several communicators at once, called by their members at random times.
void start_mixture(Machine& machine, const std::vector<int>& communicators, int operations,
                   std::uint64_t seed) {
  Random random(seed);
  for (int number = 0; number < operations; ++number) {
    const int communicator = communicators[random.below(communicators.size())];
    const int members = static_cast<int>(machine.communicator(communicator).members.size());
    const auto collective = every_collective[random.below(5)];
    Operation operation =
        make_operation(collective, communicator, members, static_cast<int>(random.below(members)),
                       8 * random.below(20), random.next());
    operation.means = random.below(5) == 0   ? Means::software
                      : random.below(2) == 0 ? Means::automatic
                                             : Means::hardware;
    for (int member = 0; member < members; ++member)
      operation.late.push_back(static_cast<Cycle>(random.below(3000)));
    machine.start(operation);
  }
}

void check_all(const Machine& machine, int operations) {
  for (int number = 0; number < operations; ++number) {
    const Operation& operation = machine.operation(number);
    const auto members = static_cast<int>(machine.communicator(operation.communicator).members.size());
    ASSERT_TRUE(machine.outcome(number).done);
    EXPECT_EQ(machine.outcome(number).results, reference_results(operation, members)) << number;
  }
}

TEST(Collectives, OverlappingOperationsOnSeveralCommunicatorsBesideSaturatedTraffic) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    MachineConfig config = machine_config(4, 4, every_placement[seed % 4]);
    config.background = TrafficConfig{};
    config.background->load = seed % 2 == 0 ? 1 : 0.2;
    config.background->queue_limit = 8;
    config.background->packet_flits = 1 + static_cast<int>(seed % 5);
    config.network.watchdog_cycles = 5000;
    config.network.reuse = seed % 3 == 0 ? Reuse::atomic : Reuse::cut_through;
    config.network.route_at = seed % 3 == 1 ? RouteAt::front : RouteAt::write;
    Machine machine(config);
    const std::vector<int> communicators = {
        machine.make_communicator(all_nodes(config.network.mesh)), machine.make_communicator({0, 3, 12, 15}),
        machine.make_communicator({1, 2, 6, 9, 10}), machine.make_communicator({14, 5})};
    start_mixture(machine, communicators, 40, seed);
    machine.run();
    check_all(machine, 40);
    EXPECT_GT(machine.background_packets(), 100u);
  }
}

/// Two operations need the same routers, and each comes first on one side. With a single partial result per
/// router they would deadlock.
TEST(Collectives, TwoReductionsThatComeInOppositeOrders) {
  for (const char* placed : {"S1", "S2", "S3", "all"})
    for (const bool same : {false, true}) {
      MachineConfig config = machine_config(4, 1, placed);
      config.network.watchdog_cycles = 2000;
      Machine machine(config);
      const int one = machine.make_communicator({0, 1, 2, 3});
      const int other = same ? one : machine.make_communicator({3, 2, 1, 0});
      std::vector<int> numbers;
      for (int turn = 0; turn < 2; ++turn) {
        Operation operation = make_operation(Collective::reduce, turn == 0 ? one : other, 4, 1, 64,
                                             static_cast<std::uint64_t>(turn));
        // The near members call the first operation early, the far members the second.
        operation.late = turn == 0 ? std::vector<Cycle>{500, 0, 0, 500} : std::vector<Cycle>{0, 500, 500, 0};
        numbers.push_back(machine.start(operation));
      }
      machine.run(100'000);
      check_all(machine, 2);
    }
}

TEST(Collectives, AMemberThatNeverCallsIsAnErrorNotAHang) {
  Machine machine(machine_config(3, 3, "S2"));
  const int communicator = machine.make_communicator(all_nodes(machine.config().network.mesh));
  Operation operation = make_operation(Collective::allreduce, communicator, 9, 0, 16, 1);
  operation.late.assign(9, 0);
  operation.late[4] = 1'000'000'000;
  machine.start(operation);
  EXPECT_THROW(machine.run(100'000), Error);
}

TEST(Collectives, MembersWithoutALevelOneRouterOnTheirWay) {
  MachineConfig config = machine_config(8, 8, "S2");
  Machine machine(config);
  // The root's core combines what no level-1 router has combined: nodes below the root's row go through the
  // root's router.
  for (const std::vector<int>& members :
       {std::vector<int>{50, 51, 52, 53, 58, 59, 60, 61}, {0, 63}, {7, 6}}) {
    const int communicator = machine.make_communicator(members);
    EXPECT_TRUE(machine.communicator(communicator).hardware);
    for (const Collective collective : every_collective)
      run_and_check(machine,
                    make_operation(collective, communicator, static_cast<int>(members.size()), 1, 72, 3));
  }
}

TEST(Collectives, TorusWithFourVcs) {
  MachineConfig config = machine_config(5, 4, "plain");
  config.network.mesh = Mesh(5, 4, true, Routing::yx);
  config.network.vcs = 4;
  config.network.levels = placement(config.network.mesh, "S2", config.tree_root);
  config.background = TrafficConfig{};
  config.background->load = 1;
  config.background->queue_limit = 4;
  config.network.watchdog_cycles = 5000;
  Machine machine(config);
  const std::vector<int> communicators = {machine.make_communicator(all_nodes(config.network.mesh)),
                                          machine.make_communicator({0, 4, 15, 19})};
  start_mixture(machine, communicators, 40, 9);
  machine.run();
  check_all(machine, 40);
}

TEST(Collectives, FullTablesMeanSoftware) {
  MachineConfig config = machine_config(4, 4, "S2");
  config.network.unit.communicators = config.network.unit.operations = 2;
  Machine machine(config);
  std::vector<int> communicators;
  for (int number = 0; number < 4; ++number)
    communicators.push_back(machine.make_communicator(all_nodes(config.network.mesh)));
  EXPECT_TRUE(machine.communicator(communicators[1]).hardware);
  EXPECT_FALSE(machine.communicator(communicators[2]).hardware);
  EXPECT_FALSE(machine.communicator(communicators[3]).hardware);
  start_mixture(machine, communicators, 20, 5);
  machine.run();
  check_all(machine, 20);
  machine.free_communicator(communicators[0]);
  const int reused = machine.make_communicator(all_nodes(config.network.mesh));
  EXPECT_TRUE(machine.communicator(reused).hardware);
  run_and_check(machine, make_operation(Collective::allreduce, reused, 16, 0, 16, 1));
}

TEST(Collectives, PlainRoutersOnTheWayMeanSoftware) {
  MachineConfig config = machine_config(4, 4, "S2");
  config.network.levels[0] = 0;
  Machine machine(config);
  const int outside = machine.make_communicator({1, 2, 3, 5});
  const int inside = machine.make_communicator({0, 1, 2});
  EXPECT_TRUE(machine.communicator(outside).hardware);
  EXPECT_FALSE(machine.communicator(inside).hardware);
  run_and_check(machine, make_operation(Collective::allreduce, inside, 3, 0, 16, 1));
}

TEST(Collectives, LevelTwoRoutersAloneLeaveTheSumToTheRootsCore) {
  MachineConfig config = machine_config(4, 4, "S1");
  std::fill(config.network.levels.begin(), config.network.levels.end(), 2);
  Machine machine(config);
  const int communicator = machine.make_communicator({0, 1, 7, 10, 15});
  EXPECT_TRUE(machine.communicator(communicator).hardware);
  for (const Collective collective : every_collective)
    run_and_check(machine, make_operation(collective, communicator, 5, 3, 40, 1));
}

/// Sums of 0.1 k differ in their last bits with the order; members call at random times.
Operation inexact(int communicator, int members, std::uint64_t seed) {
  Operation operation = make_operation(Collective::reduce, communicator, members, 0, 16, 1);
  for (std::size_t member = 0; member < operation.data.size(); ++member)
    for (std::size_t place = 0; place < 16; place += 8) {
      const double value =
          0.1 * static_cast<double>(member + 1) * std::pow(10, static_cast<double>(member % 7));
      std::memcpy(operation.data[member].data() + place, &value, 8);
    }
  Random random(seed);
  for (int member = 0; member < members; ++member)
    operation.late.push_back(static_cast<Cycle>(random.below(400)));
  return operation;
}

TEST(Collectives, FixedOrderGivesTheSameBitsWhateverTheTimes) {
  for (const char* placed : {"S1", "S2", "S3", "all"}) {
    MachineConfig config = machine_config(4, 4, placed);
    config.network.unit.fixed_order = true;
    std::vector<Bytes> first;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Machine machine(config);
      const int communicator = machine.make_communicator(all_nodes(config.network.mesh));
      const int number = machine.start(inexact(communicator, 16, seed));
      machine.run();
      if (seed == 1) first = machine.outcome(number).results;
      EXPECT_EQ(machine.outcome(number).results, first) << placed << " seed " << seed;
    }
  }
}

TEST(Collectives, MaskMembershipNeedsNoLearningAndNeverRunsOver) {
  MachineConfig config = machine_config(8, 8, "S2");
  config.membership = Membership::mask;
  Machine machine(config);
  EXPECT_THROW(machine.make_communicator({0, 1, 2}), Error);
  for (int number = 0; number < 12; ++number) {
    std::vector<int> members;
    for (int node = 0; node < 64; ++node)
      if ((node & number) == number) members.push_back(node);
    if (members.size() < 2) continue;
    const int communicator = machine.make_communicator(members);
    EXPECT_TRUE(machine.communicator(communicator).hardware);
    EXPECT_EQ(machine.communicator(communicator).learning_cycles, 0);
    for (const Collective collective : every_collective)
      run_and_check(machine,
                    make_operation(collective, communicator, static_cast<int>(members.size()), 1, 16, 7));
  }
}

TEST(Collectives, SameSeedSameCycles) {
  const auto run = [] {
    MachineConfig config = machine_config(4, 4, "S3");
    config.background = TrafficConfig{};
    config.background->load = 0.3;
    Machine machine(config);
    const int communicator = machine.make_communicator(all_nodes(config.network.mesh));
    start_mixture(machine, {communicator}, 20, 3);
    machine.run();
    std::vector<Cycle> ends;
    for (int number = 0; number < 20; ++number) ends.push_back(machine.outcome(number).end);
    return ends;
  };
  EXPECT_EQ(run(), run());
}

TEST(Collectives, WrongUseIsRefused) {
  EXPECT_THROW(Machine(machine_config(4, 4, "S9")), Error);
  MachineConfig config = machine_config(4, 4, "S2");
  config.network.vcs = 1;
  EXPECT_THROW(Machine{config}, Error);
  config = machine_config(4, 4, "S2");
  config.network.reuse = Reuse::wormhole;
  EXPECT_THROW(Machine{config}, Error);
  config = machine_config(4, 4, "S2");
  config.network.depth = 4;
  EXPECT_THROW(Machine{config}, Error);
  Machine machine(machine_config(4, 4, "S2"));
  EXPECT_THROW(machine.make_communicator({3}), Error);
  EXPECT_THROW(machine.make_communicator({3, 3}), Error);
  EXPECT_THROW(machine.make_communicator({3, 16}), Error);
  const int communicator = machine.make_communicator({3, 4});
  Operation operation = make_operation(Collective::reduce, communicator, 2, 0, 12, 1);
  EXPECT_THROW(machine.start(operation), Error);
  operation = make_operation(Collective::reduce, communicator, 2, 0, 16, 1);
  operation.root = 2;
  EXPECT_THROW(machine.start(operation), Error);
}

}  // namespace
}  // namespace taihu::noc
