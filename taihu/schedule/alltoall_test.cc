// SPDX-License-Identifier: Apache-2.0
// Every form of alltoall, for 1 to 64 members and random sizes: every block arrives once, whatever waits for
// what.
#include "taihu/schedule/alltoall.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/random.h"
#include "taihu/schedule/bytes_for_tests.h"
#include "taihu/schedule/member_counts_for_tests.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

/// Cuts n positions into runs of random lengths.
std::vector<int> random_groups(int members, Random& random) {
  std::vector<int> starts{0};
  while (starts.back() < members)
    starts.push_back(std::min(members, starts.back() + 1 + static_cast<int>(random.below(9))));
  return starts;
}

std::byte content(int from, int to, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(from) * 131 + static_cast<std::size_t>(to) * 7 +
                                at * 3 + 1);
}

/// Plays the programs with equal blocks and compares every byte; the messages sent.
template <class MakeProgram>
std::size_t check_equal_blocks(int n, std::size_t block, const MakeProgram& make) {
  std::vector<MemberMemory> memory(static_cast<std::size_t>(n));
  for (int m = 0; m < n; ++m) {
    MemberMemory& mine = memory[static_cast<std::size_t>(m)];
    mine.result.resize(block * static_cast<std::size_t>(n));
    for (int to = 0; to < n; ++to)
      for (std::size_t at = 0; at < block; ++at) mine.source.push_back(content(m, to, at));
  }
  const auto played = simulate(for_all_members(n, make), memory, {});
  EXPECT_EQ(played.problem, "") << n << " members, blocks of " << block;
  for (int m = 0; m < n; ++m)
    for (int from = 0; from < n; ++from)
      for (std::size_t at = 0; at < block; ++at)
        if (memory[static_cast<std::size_t>(m)].result[static_cast<std::size_t>(from) * block + at] !=
            content(from, m, at)) {
          ADD_FAILURE() << n << " members: block of " << from << " for " << m;
          return played.messages;
        }
  return played.messages;
}

class Alltoall : public testing::TestWithParam<int> {
 protected:
  int n = GetParam();
  Random random{static_cast<std::uint64_t>(GetParam())};

  std::vector<ExchangeOrder> orders() {
    return {ExchangeOrder::ring(n), ExchangeOrder::ring(shuffled(n, random)),
            ExchangeOrder::pairwise(shuffled(n, random)),
            ExchangeOrder::two_level_ring(shuffled(n, random), random_groups(n, random))};
  }
};

TEST_P(Alltoall, EveryOrderPairsEachTwoMembersOnce) {
  for (const ExchangeOrder& order : orders()) {
    std::vector<int> met(static_cast<std::size_t>(n * n));
    for (int round = 0; round < order.rounds(); ++round) {
      for (int m = 0; m < n; ++m) {
        const int to = order.to(m, round);
        if (to < 0) continue;
        ASSERT_EQ(order.from(to, round), m);
        ++met[static_cast<std::size_t>(m * n + to)];
      }
    }
    for (const int times : met) ASSERT_EQ(times, 1);
  }
}

TEST_P(Alltoall, OrdersMoveEqualAndUnequalBlocks) {
  for (const ExchangeOrder& order : orders()) {
    for (const int window : {1, 3, 64}) {
      const std::size_t block = random.below(5);
      check_equal_blocks(n, block,
                         [&](Place place) { return alltoall_in_order(place, order, block, window); });
    }
    // Member s sends (s * 5 + d) % 4 bytes to member d.
    const auto bytes = [](int s, int d) { return static_cast<std::size_t>((s * 5 + d) % 4); };
    std::vector<MemberMemory> memory(static_cast<std::size_t>(n));
    std::vector<std::vector<Range>> sources(static_cast<std::size_t>(n));
    std::vector<std::vector<Range>> results(static_cast<std::size_t>(n));
    for (int m = 0; m < n; ++m) {
      MemberMemory& mine = memory[static_cast<std::size_t>(m)];
      for (int k = 0; k < n; ++k) {
        sources[static_cast<std::size_t>(m)].push_back({mine.source.size(), bytes(m, k)});
        results[static_cast<std::size_t>(m)].push_back({mine.result.size(), bytes(k, m)});
        for (std::size_t at = 0; at < bytes(m, k); ++at) mine.source.push_back(content(m, k, at));
        mine.result.resize(mine.result.size() + bytes(k, m));
      }
    }
    for (const Nothing nothing : {Nothing::sent, Nothing::left_out}) {
      const auto played = simulate(for_all_members(n,
                                                   [&](Place place) {
                                                     const auto me = static_cast<std::size_t>(place.me);
                                                     return alltoall_in_order(place, order, sources[me],
                                                                              results[me], 4, nothing);
                                                   }),
                                   memory, {});
      ASSERT_EQ(played.problem, "");
      if (nothing == Nothing::sent) {
        EXPECT_EQ(played.messages, static_cast<std::size_t>(n) * static_cast<std::size_t>(n - 1));
      }
    }
    for (int m = 0; m < n; ++m)
      for (int k = 0; k < n; ++k)
        for (std::size_t at = 0; at < bytes(k, m); ++at)
          ASSERT_EQ(
              memory[static_cast<std::size_t>(m)]
                  .result[results[static_cast<std::size_t>(m)][static_cast<std::size_t>(k)].offset + at],
              content(k, m, at));
  }
}

TEST_P(Alltoall, RowsAndColumnsOfAnyShape) {
  for (const int columns :
       {1, 2, 5, 8, 64, 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(n)))}) {
    for (const int window : {1, 4}) {
      const std::vector<int> order = shuffled(n, random);
      const std::size_t block = random.below(4);
      const std::size_t messages = check_equal_blocks(
          n, block, [&](Place place) { return alltoall_by_rows(place, order, columns, block, window); });
      const int across = std::min(columns, n);
      EXPECT_LE(messages,
                static_cast<std::size_t>(n) * static_cast<std::size_t>(across + (n + across - 1) / across));
    }
  }
}

Relays random_relays(int members, Random& random) {
  Relays relays;
  const int groups = 1 + static_cast<int>(random.below(6));
  relays.members_of.resize(static_cast<std::size_t>(groups));
  for (int m = 0; m < members; ++m) {
    relays.group.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(groups))));
    relays.members_of[static_cast<std::size_t>(relays.group.back())].push_back(m);
  }
  for (int m = 0; m < members; ++m) {
    std::vector<Relays::Share> shares;
    double upto = 0;
    for (const int other :
         relays.members_of[static_cast<std::size_t>(relays.group[static_cast<std::size_t>(m)])]) {
      if (other == m || random.below(2) == 0) continue;
      upto += (1 - upto) * random.uniform();
      shares.push_back({other, upto});
    }
    relays.shares.push_back(shares);
  }
  return relays;
}

TEST_P(Alltoall, RelaysPassOnWhatIsNotForThem) {
  for (const ExchangeOrder& order : orders()) {
    for (const int window : {1, 5, 64}) {
      const Relays relays = random_relays(n, random);
      const std::size_t block = 1 + random.below(3);
      check_equal_blocks(n, block,
                         [&](Place place) { return alltoall_relayed(place, order, relays, block, window); });
    }
  }
}

TEST_P(Alltoall, PartsOfAProgramAreTheWhole) {
  const auto same = [](const Program& whole, const auto& part) {
    std::size_t at = 0;
    for (int round = 0; round < 200; round += 3) {
      for (const Step& step : part(Rounds{round, round + 3}).steps) {
        ASSERT_LT(at, whole.steps.size());
        const Step& other = whole.steps[at++];
        ASSERT_EQ(step.round, other.round);
        ASSERT_EQ(step.action, other.action);
        ASSERT_EQ(step.peer, other.peer);
        ASSERT_EQ(step.offset, other.offset);
      }
    }
    ASSERT_EQ(at, whole.steps.size());
  };
  const Place place{n, n / 2};
  const Relays relays = random_relays(n, random);
  const std::vector<int> rows = shuffled(n, random);
  for (const ExchangeOrder& order : orders()) {
    same(alltoall_in_order(place, order, 2, 2),
         [&](Rounds r) { return alltoall_in_order(place, order, 2, 2, r); });
    same(alltoall_relayed(place, order, relays, 2, 2),
         [&](Rounds r) { return alltoall_relayed(place, order, relays, 2, 2, r); });
  }
  same(alltoall_bruck(place, 2), [&](Rounds r) { return alltoall_bruck(place, 2, r); });
  same(alltoall_by_rows(place, rows, 7, 2, 2),
       [&](Rounds r) { return alltoall_by_rows(place, rows, 7, 2, 2, r); });
}

INSTANTIATE_TEST_SUITE_P(Counts, Alltoall, testing::ValuesIn(member_counts(64)));

}  // namespace
}  // namespace taihu::schedule
