// SPDX-License-Identifier: Apache-2.0
// Choices of collectives by the network: every form is right, the choice follows the links, and is told.
#include "taihu/schedule/collective_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "taihu/schedule/bytes_for_tests.h"
#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

constexpr Collective all_collectives[] = {Collective::bcast, Collective::allgather, Collective::allreduce,
                                          Collective::reduce_scatter};

std::byte content(int member, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(member) * 31 + at * 7 + 1);
}

/// What `member` has in the end, by the definition of the collective.
std::vector<std::byte> expected(Collective collective, int members, int member, const Payload& payload) {
  const bool has_blocks = collective == Collective::allgather || collective == Collective::reduce_scatter;
  const std::size_t count = has_blocks ? payload.blocks.total() : payload.count;
  std::vector<std::byte> whole(count);
  for (std::size_t at = 0; at < count; ++at) {
    if (collective == Collective::bcast) whole[at] = content(payload.root, at);
    if (collective != Collective::allreduce && collective != Collective::reduce_scatter) continue;
    for (int k = 0; k < members; ++k) {
      const std::byte operand = content(k, at);
      add(&whole[at], &operand, 1);
    }
  }
  if (collective == Collective::allgather)
    for (int k = 0; k < members; ++k)
      for (std::size_t at = 0; at < payload.blocks.count(k); ++at)
        whole[payload.blocks.start(k) + at] = content(k, at);
  if (collective != Collective::reduce_scatter) return whole;
  const auto first = whole.begin() + static_cast<std::ptrdiff_t>(payload.blocks.start(member));
  return {first, first + static_cast<std::ptrdiff_t>(payload.blocks.count(member))};
}

void check(Collective collective, const CollectiveForm& form, int members, const Payload& payload) {
  SCOPED_TRACE(std::string(name_of(collective)) + ": " + form.name + ", " + std::to_string(members) +
               " members");
  std::vector<MemberMemory> memory(index(members));
  for (int k = 0; k < members; ++k) {
    MemberMemory& mine = memory[index(k)];
    std::size_t units = payload.count;
    if (collective == Collective::allgather) units = payload.blocks.count(k);
    if (collective == Collective::reduce_scatter) units = payload.blocks.total();
    for (std::size_t at = 0; at < units; ++at) mine.source.push_back(content(k, at));
    mine.result.resize(expected(collective, members, k, payload).size());
    if (collective == Collective::bcast && k == payload.root) mine.result = mine.source;
  }
  int rounds = 0;
  const auto played = simulate(for_all_members(members,
                                               [&](Place place) {
                                                 Program program = form.make(place, payload, {});
                                                 rounds = std::max(rounds, program.next_round());
                                                 return program;
                                               }),
                               memory, add);
  EXPECT_EQ(played.problem, "");
  EXPECT_LE(rounds, form.rounds);
  for (int k = 0; k < members; ++k)
    ASSERT_TRUE(memory[index(k)].result == expected(collective, members, k, payload)) << "member " << k;
}

std::unique_ptr<topology::Interconnect> tapered_tree() {
  return topology::make_interconnect(topology::FatTree{8, 16, 2}, {});
}

/// Members in turns over the supernodes.
Placed in_turns(const topology::Interconnect& network, int members) {
  Placed placed{network, {}};
  for (int member = 0; member < members; ++member) placed.nodes.push_back(member % 8 * 16 + member / 8 % 16);
  return placed;
}

TEST(CollectiveChoice, EveryFormDoesWhatTheCollectiveMeans) {
  const auto network = tapered_tree();
  for (const int members : {1, 2, 3, 7, 8, 12, 16, 31, 40, 64}) {
    const Placed placed = in_turns(*network, members);
    Payload payload{137, 1, members / 2, split_blocks(members, 90)};
    for (const Collective collective : all_collectives) {
      std::vector<CollectiveForm> forms = collective_forms(collective, placed, 1 << 20);
      for (const std::size_t bytes :
           {std::size_t{64}, std::size_t{10000}, std::size_t{30000}, std::size_t{64 << 20}}) {
        forms.push_back(plain_form(collective, members, bytes));
        forms.push_back(plain_form(collective, members, bytes, {}, Progress::in_the_background));
        forms.push_back(mpich_form(collective, members, bytes));
        forms.push_back(openmpi_form(collective, members, bytes));
      }
      for (const CollectiveForm& form : forms) check(collective, form, members, payload);
    }
  }
}

TEST(CollectiveChoice, WhatSuitsEveryNetworkStays) {
  // One switch: nobody is nearer than another.
  const auto flat = topology::make_interconnect(topology::FatTree{1, 64, 1}, {});
  Placed placed{*flat, plain_order(16)};
  const CollectiveChoice short_sum = choose_collective(Collective::allreduce, placed, 8);
  EXPECT_EQ(short_sum.form.name, "doubling");
  EXPECT_TRUE(short_sum.reason.starts_with("doubling, estimated ")) << short_sum.reason;
  EXPECT_EQ(short_sum.reason.find(", doubling"), std::string::npos) << short_sum.reason;
}

TEST(CollectiveChoice, MembersInTurnsTakePartInTheOrderOfNodes) {
  const auto network = tapered_tree();
  const Placed placed = in_turns(*network, 128);
  const CollectiveChoice ring = choose_collective(Collective::allgather, placed, 1 << 20);
  EXPECT_NE(ring.form.name.find("in the order of nodes"), std::string::npos) << ring.reason;
  EXPECT_NE(ring.reason.find(", ring "), std::string::npos) << ring.reason;
  const CollectiveChoice sum = choose_collective(Collective::allreduce, placed, 1 << 20);
  EXPECT_TRUE(sum.form.name.starts_with("halving")) << sum.reason;
  const CollectiveChoice blocks = choose_collective(Collective::reduce_scatter, placed, 64 << 10);
  EXPECT_NE(blocks.form.name, "all at once") << blocks.reason;
}

TEST(CollectiveChoice, NearNodesExchangeMostWhereRanksAreShuffled) {
  const auto network = tapered_tree();
  Placed placed{*network, {}};
  for (int member = 0; member < 128; ++member) placed.nodes.push_back(member * 37 % 128);
  EXPECT_EQ(choose_collective(Collective::allreduce, placed, 1 << 20).form.name, "halving, near nodes first");
  EXPECT_EQ(choose_collective(Collective::reduce_scatter, placed, 8 << 10).form.name,
            "halving, near nodes first");
}

TEST(CollectiveChoice, RulesOfOtherLibraries) {
  EXPECT_EQ(openmpi_form(Collective::allreduce, 4096, 1024).name, "reduction to one, then broadcast");
  EXPECT_EQ(openmpi_form(Collective::allreduce, 4096, 1 << 20).name, "halving, near ranks first");
  EXPECT_EQ(openmpi_form(Collective::allgather, 4096, 4096).name, "exchange with neighbours");
  EXPECT_EQ(openmpi_form(Collective::bcast, 4096, 262143).name, "tree");
  EXPECT_EQ(openmpi_form(Collective::bcast, 4096, 262144).name, "scatter and doubling");
  EXPECT_EQ(openmpi_form(Collective::reduce_scatter, 4096, 64).name, "halving, near ranks first");
  EXPECT_EQ(mpich_form(Collective::allreduce, 4096, 2048).name, "doubling");
  EXPECT_EQ(mpich_form(Collective::allreduce, 4096, 2049).name, "halving, near ranks first");
  EXPECT_EQ(mpich_form(Collective::allgather, 4096, 128).name, "ring");
  EXPECT_EQ(mpich_form(Collective::allgather, 4096, 127).name, "Bruck");
  EXPECT_EQ(mpich_form(Collective::allgather, 1000, 100).name, "ring");
  EXPECT_EQ(mpich_form(Collective::bcast, 4096, 20000).name, "scatter and doubling");
  EXPECT_EQ(mpich_form(Collective::bcast, 1000, 20000).name, "scatter and ring");
  EXPECT_EQ(mpich_form(Collective::reduce_scatter, 4096, 127).name, "halving");
  EXPECT_EQ(mpich_form(Collective::reduce_scatter, 4096, 128).name, "pairwise");
}

}  // namespace
}  // namespace taihu::schedule
