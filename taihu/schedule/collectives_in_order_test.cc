// SPDX-License-Identifier: Apache-2.0
// Collectives in any order of the members, for 1 to 64 of them and blocks of random lengths, against their
// plain definition; and the same programs in parts.
#include "taihu/schedule/collectives_in_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "taihu/base/random.h"
#include "taihu/schedule/bytes_for_tests.h"
#include "taihu/schedule/exchange_rounds.h"
#include "taihu/schedule/member_counts_for_tests.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

using MakeOrdered = std::function<Program(Place)>;
using MakePart = std::function<Program(Place, Rounds)>;

Blocks random_blocks(int members, Random& random) {
  Blocks blocks;
  for (int member = 0; member < members; ++member)
    blocks.starts.push_back(blocks.starts.back() + random.below(5));
  return blocks;
}

/// All rounds in parts of three, one behind the other.
Program joined(const MakePart& make, Place place) {
  Program all;
  for (int round = 0; round < 200; round += 3) {
    const Program part = make(place, {round, round + 3});
    for (const Step& step : part.steps) {
      EXPECT_TRUE(round <= step.round && step.round < round + 3);
      all.steps.push_back(step);
    }
    all.scratch = part.scratch;
  }
  return all;
}

class InOrder : public testing::TestWithParam<int> {
 protected:
  const int n = GetParam();
  Random random{static_cast<std::uint64_t>(n)};
  const std::vector<int> order = shuffled(n, random);
  const Blocks blocks = random_blocks(n, random);
  std::vector<MemberMemory> memory = std::vector<MemberMemory>(index(n));

  void check_played(const MakeOrdered& make) {
    EXPECT_EQ(simulate(for_all_members(n, make), memory, add).problem, "") << n << " members";
  }
  void check_bcast(const MakeOrdered& make, int root, std::size_t count) {
    for (MemberMemory& mine : memory) mine.result = random_bytes(random, count);
    const Bytes sent = memory[index(root)].result;
    check_played(make);
    for (const MemberMemory& mine : memory)
      EXPECT_TRUE(mine.result == sent) << n << " members, " << count << " units";
  }
  void check_allgather(const MakeOrdered& make) {
    Bytes all;
    for (int member = 0; member < n; ++member) {
      memory[index(member)] = {random_bytes(random, blocks.count(member)),
                               random_bytes(random, blocks.total())};
      const Bytes& source = memory[index(member)].source;
      all.insert(all.end(), source.begin(), source.end());
    }
    check_played(make);
    for (const MemberMemory& mine : memory) EXPECT_TRUE(mine.result == all) << n << " members";
  }
  void check_reduce_scatter(const MakeOrdered& make) {
    Bytes sum(blocks.total());
    for (int member = 0; member < n; ++member) {
      memory[index(member)] = {random_bytes(random, blocks.total()),
                               random_bytes(random, blocks.count(member))};
      add(sum.data(), memory[index(member)].source.data(), sum.size());
    }
    check_played(make);
    for (int member = 0; member < n; ++member)
      EXPECT_TRUE(memory[index(member)].result == slice(sum, blocks.start(member), blocks.count(member)))
          << n << " members, block of " << member;
  }
  void check_allreduce(const MakeOrdered& make, std::size_t count) {
    Bytes sum(count);
    for (MemberMemory& mine : memory) {
      mine = {random_bytes(random, count), random_bytes(random, count)};
      add(sum.data(), mine.source.data(), count);
    }
    check_played(make);
    for (const MemberMemory& mine : memory) EXPECT_TRUE(mine.result == sum) << n << " members";
  }
};

TEST_P(InOrder, NearFirstNamesEachMemberOnce) {
  std::vector<int> near = near_first(order);
  std::sort(near.begin(), near.end());
  EXPECT_EQ(near, plain_order(n));
}

TEST_P(InOrder, Bcast) {
  for (const std::size_t count : {0U, 1U, 7U, 300U}) {
    for (const int segments : {1, 3, 40}) {
      const MakePart chain = [&](Place place, Rounds part) {
        return bcast_chain(place, order, count, segments, part);
      };
      check_bcast([&](Place place) { return chain(place, {}); }, order.front(), count);
      check_bcast([&](Place place) { return joined(chain, place); }, order.front(), count);
    }
    const std::vector<int> near = near_first(order);
    check_bcast([&](Place place) { return bcast_scatter_doubling(place, near, count); }, order.front(),
                count);
    for (const int root : {0, n - 1}) {
      const MakePart scatter = [&](Place place, Rounds part) {
        return bcast_scatter_allgather(place, count, root, part);
      };
      check_bcast([&](Place place) { return joined(scatter, place); }, root, count);
    }
  }
}

TEST_P(InOrder, Allgather) {
  const MakePart ring = [&](Place place, Rounds part) {
    return allgather_ring_in_order(place, order, blocks, part);
  };
  check_allgather([&](Place place) { return ring(place, {}); });
  check_allgather([&](Place place) { return joined(ring, place); });
  check_allgather([&](Place place) { return allgather_far_first(place, order, blocks); });
  if (n % 2 != 0) return;
  const MakePart pairs = [&](Place place, Rounds part) {
    return allgather_neighbours(place, order, blocks, part);
  };
  check_allgather([&](Place place) { return pairs(place, {}); });
  check_allgather([&](Place place) { return joined(pairs, place); });
}

TEST_P(InOrder, ReduceScatter) {
  const MakePart ring = [&](Place place, Rounds part) {
    return reduce_scatter_ring(place, order, blocks, part);
  };
  check_reduce_scatter([&](Place place) { return ring(place, {}); });
  if (n > 1) check_reduce_scatter([&](Place place) { return joined(ring, place); });
  check_reduce_scatter([&](Place place) { return reduce_scatter_halving(place, order, blocks); });
  check_reduce_scatter([&](Place place) { return reduce_scatter_halving(place, near_first(order), blocks); });
}

TEST_P(InOrder, AllreduceRingInParts) {
  for (const std::size_t count : {0U, 5U, 200U}) {
    const MakePart ring = [&](Place place, Rounds part) { return allreduce_ring(place, count, 1, part); };
    check_allreduce([&](Place place) { return joined(ring, place); }, count);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedule, InOrder, testing::ValuesIn(member_counts(64)));

}  // namespace
}  // namespace taihu::schedule
