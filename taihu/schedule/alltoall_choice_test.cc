// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/alltoall_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "taihu/base/random.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

using topology::FatTree;
using topology::make_interconnect;

constexpr std::size_t long_block = 512 << 10;

std::vector<int> random_nodes(int members, int nodes, std::uint64_t seed) {
  std::vector<int> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  Random random(seed);
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[random.below(k)]);
  all.resize(static_cast<std::size_t>(members));
  return all;
}

TEST(AlltoallChoice, EstimateOfTheRingIsItsRounds) {
  const topology::LinkRates rates{10, 0, 2};
  const auto network = make_interconnect(FatTree{1, 8, 1}, rates);
  const Placed placed{*network, {0, 1, 2, 3, 4}};
  const MessageCosts costs{0.5, 0.25, 0, 1e30};
  // Five rounds, in the first of which everybody copies.
  EXPECT_NEAR(estimate_seconds(placed, ring_schedule(5, 30), costs, 5), 4 * (2 + 0.75 + 3), 1e-9);
}

TEST(AlltoallChoice, ShuffledMembersExchangeInTheOrderOfNodes) {
  const auto network = make_interconnect(FatTree{4, 16, 4}, {});
  const Placed placed{*network, random_nodes(64, 64, 3)};
  const AlltoallChoice choice = choose_alltoall(placed, long_block);
  EXPECT_NE(choice.schedule.name, "ring");
  EXPECT_LT(estimate_seconds(placed, choice.schedule, {}),
            estimate_seconds(placed, ring_schedule(64, long_block), {}));
  EXPECT_NE(choice.reason.find(choice.schedule.name), std::string::npos);
}

TEST(AlltoallChoice, ShortBlocksTravelTogether) {
  const auto network = make_interconnect(FatTree{4, 64, 16}, {});
  const Placed placed{*network, random_nodes(256, 256, 3)};
  const AlltoallChoice choice = choose_alltoall(placed, 64);
  EXPECT_TRUE(choice.schedule.name == "Bruck" || choice.schedule.name.starts_with("rows")) << choice.reason;
}

TEST(AlltoallChoice, OneAndTwoMembers) {
  const auto network = make_interconnect(FatTree{1, 2, 1}, {});
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1024}, long_block}) {
    EXPECT_GE(choose_alltoall({*network, {1}}, bytes).schedule.rounds, 1);
    EXPECT_GE(choose_alltoall({*network, {1, 0}}, bytes).schedule.rounds, 1);
  }
}

TEST(Relays, LinksIntoAGroupGetEqualShares) {
  // In each of two supernodes of 8 nodes with 4 uplinks: nodes 0, 4 by one link, 1 by another, 2 by a third.
  const auto network = make_interconnect(FatTree{2, 8, 4}, {});
  const Placed placed{*network, {0, 4, 1, 2, 8, 12, 9, 10}};
  const Relays relays = make_relays(placed);
  ASSERT_TRUE(has_shares(relays));
  constexpr int exchanges = 10000;
  std::vector<int> blocks(8);  // that reach the group of 0 .. 3 by each of them
  for (int to = 0; to < 4; ++to)
    for (int k = 0; k < exchanges; ++k) ++blocks[static_cast<std::size_t>(relays.via(to, k))];
  const double even = 4 * exchanges / 3.0;
  EXPECT_NEAR(blocks[0] + blocks[1], even, even / 100);
  EXPECT_NEAR(blocks[2], even, even / 100);
  EXPECT_NEAR(blocks[3], even, even / 100);
  // Nothing to gain where links are alike, or where there are no such links.
  EXPECT_FALSE(has_shares(make_relays({*network, {0, 1, 2, 3, 8, 9, 10, 11}})));
  const auto torus = make_interconnect(topology::Torus{{4, 4}}, {});
  EXPECT_FALSE(has_shares(make_relays({*torus, {0, 1, 2, 3, 8, 9, 10, 11}})));
}

TEST(AlltoallChoice, WhateverIsChosenMovesTheBlocks) {
  const auto network = make_interconnect(FatTree{16, 8, 2}, {});
  for (const int n : {2, 3, 17, 32, 61}) {
    const Placed placed{*network, random_nodes(n, 128, 7)};
    for (const std::size_t bytes : {std::size_t{3}, std::size_t{2048}, std::size_t{65} << 10}) {
      if (n > 17 && bytes > 2048) continue;
      const Schedule chosen = choose_alltoall(placed, bytes).schedule;
      for (const Schedule& schedule : {chosen, openmpi_choice(n, bytes), mpich_choice(n, bytes)}) {
        std::vector<MemberMemory> memory(static_cast<std::size_t>(n));
        for (int m = 0; m < n; ++m) {
          memory[static_cast<std::size_t>(m)].result.resize(bytes * static_cast<std::size_t>(n));
          for (int to = 0; to < n; ++to)
            memory[static_cast<std::size_t>(m)].source.resize(
                memory[static_cast<std::size_t>(m)].source.size() + bytes,
                static_cast<std::byte>(m * 3 + to * 5 + 1));
        }
        const auto played =
            simulate(for_all_members(n, [&](Place place) { return schedule.part(place, {}); }), memory, {});
        ASSERT_EQ(played.problem, "") << schedule.name;
        for (int m = 0; m < n; ++m)
          for (int from = 0; from < n; ++from) {
            const std::size_t at = static_cast<std::size_t>(from) * bytes;
            ASSERT_EQ(memory[static_cast<std::size_t>(m)].result[at + bytes - 1],
                      static_cast<std::byte>(from * 3 + m * 5 + 1))
                << schedule.name;
          }
      }
    }
  }
}

}  // namespace
}  // namespace taihu::schedule
