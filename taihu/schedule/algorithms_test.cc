// SPDX-License-Identifier: Apache-2.0
// Every algorithm, for all member counts 1..33 (and roots), against its plain definition.
#include "taihu/schedule/algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/schedule/bytes_for_tests.h"
#include "taihu/schedule/member_counts_for_tests.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

constexpr int most_members = 33;

// The map x -> scale * x + shift modulo 2^32; composition is associative and not commutative.
struct Affine {
  std::uint32_t scale;
  std::uint32_t shift;
};

void compose(std::byte* target, const std::byte* operand, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(Affine)) {
    Affine a;
    Affine b;
    std::memcpy(&a, operand + at, sizeof a);
    std::memcpy(&b, target + at, sizeof b);
    const Affine c{a.scale * b.scale, b.scale * a.shift + b.shift};
    std::memcpy(target + at, &c, sizeof c);
  }
}

// Members with random sources of `source_bytes(k)` and random garbage as results of `result_bytes(k)`.
template <class SourceBytes, class ResultBytes>
std::vector<MemberMemory> make_memory(int members, SourceBytes source_bytes, ResultBytes result_bytes) {
  Random random(static_cast<std::uint64_t>(members));
  std::vector<MemberMemory> memory;
  for (int k = 0; k < members; ++k) {
    memory.push_back({random_bytes(random, source_bytes(k)), random_bytes(random, result_bytes(k))});
  }
  return memory;
}

auto always(std::size_t bytes) {
  return [bytes](int) { return bytes; };
}

template <class MakeProgram>
SimulationResult play(std::vector<MemberMemory>& memory, MakeProgram make, const Combine& combine = add) {
  return simulate(for_all_members(static_cast<int>(memory.size()), make), memory, combine);
}

// The sources of the first `count` members.
Bytes combined(const std::vector<MemberMemory>& memory, int count, const Combine& combine) {
  Bytes all = memory[static_cast<std::size_t>(count - 1)].source;
  for (int k = count - 1; k-- > 0;) {
    combine(all.data(), memory[static_cast<std::size_t>(k)].source.data(), all.size());
  }
  return all;
}

Blocks uneven_blocks(int members) {
  Blocks blocks;
  for (int k = 0; k < members; ++k) {
    blocks.starts.push_back(blocks.starts.back() + static_cast<std::size_t>((k * 5 + 3) % 8));
  }
  return blocks;
}

class Members : public testing::TestWithParam<int> {
 protected:
  int n = GetParam();
};

TEST_P(Members, BarrierMakesEveryoneWaitForEveryone) {
  // heard[m] = members whose arrival m knows of; round by round, all at once.
  std::vector<std::vector<bool>> heard(static_cast<std::size_t>(n),
                                       std::vector<bool>(static_cast<std::size_t>(n)));
  const auto programs = for_all_members(n, barrier);
  for (int m = 0; m < n; ++m) heard[static_cast<std::size_t>(m)][static_cast<std::size_t>(m)] = true;
  for (int round = 0; round < 8; ++round) {
    const auto before = heard;
    for (std::size_t m = 0; m < programs.size(); ++m) {
      for (const Step& step : programs[m].steps) {
        if (step.round != round || step.action != Action::receive) continue;
        for (std::size_t k = 0; k < programs.size(); ++k) {
          if (before[static_cast<std::size_t>(step.peer)][k]) heard[m][k] = true;
        }
      }
    }
  }
  for (const auto& row : heard) EXPECT_EQ(std::count(row.begin(), row.end(), true), n);
  auto memory = make_memory(n, always(0), always(0));
  EXPECT_EQ(play(memory, barrier).problem, "");
}

using Bcast = std::function<Program(Place, std::size_t, int)>;

std::vector<Bcast> bcast_algorithms() {
  const auto exchange = [](Place place, std::size_t bytes, int root) {
    return bcast_scatter_exchange(place, bytes, root, 8);
  };
  const auto staged = [exchange](Place place, std::size_t bytes, int root) {
    return staged_bcast(place, exchange(place, bytes, root), bytes, root);
  };
  const auto scatter = [](Place place, std::size_t bytes, int root) {
    return bcast_scatter_allgather(place, bytes, root);
  };
  return {bcast_binomial, scatter, exchange, staged};
}

TEST_P(Members, BcastGivesTheRootsBytesToAll) {
  for (const std::size_t bytes : {0u, 1u, 7u, 40u, 200u}) {
    for (int root = 0; root < n; root += plain_or_sanitized(1, 5)) {
      for (const auto& algorithm : bcast_algorithms()) {
        auto memory = make_memory(n, always(0), always(bytes));
        const Bytes expected = memory[static_cast<std::size_t>(root)].result;
        const auto played = play(memory, [&](Place place) { return algorithm(place, bytes, root); });
        ASSERT_EQ(played.problem, "") << "root " << root << " bytes " << bytes;
        for (const auto& member : memory) ASSERT_EQ(member.result, expected) << "root " << root;
        for (const Step& step : algorithm({n, root}, bytes, root).steps) {
          ASSERT_NE(step.action, Action::receive) << "the root's buffer may be read by others meanwhile";
        }
      }
    }
  }
}

TEST_P(Members, ReduceKeepsTheOrderOfMembersWhenItCounts) {
  for (int root = 0; root < n; ++root) {
    auto memory = make_memory(n, always(24), [&](int k) { return k == root ? 24u : 0u; });
    const Bytes expected = combined(memory, n, compose);
    const auto played = play(
        memory, [&](Place place) { return reduce_binomial(place, 24, root, Operands::ordered); }, compose);
    ASSERT_EQ(played.problem, "") << "root " << root;
    ASSERT_EQ(memory[static_cast<std::size_t>(root)].result, expected) << "root " << root;
  }
}

TEST_P(Members, ReduceOfCommutativeOperationsEndsAtTheRootAtOnce) {
  for (int root = 0; root < n; ++root) {
    auto memory = make_memory(n, always(9), [&](int k) { return k == root ? 9u : 0u; });
    const Bytes expected = combined(memory, n, add);
    const auto played =
        play(memory, [&](Place place) { return reduce_binomial(place, 9, root, Operands::commutative); });
    ASSERT_EQ(played.problem, "") << "root " << root;
    ASSERT_EQ(memory[static_cast<std::size_t>(root)].result, expected) << "root " << root;
    EXPECT_EQ(played.messages, static_cast<std::size_t>(n - 1));
  }
}

TEST_P(Members, ReduceByHalvingEndsAtTheRoot) {
  for (const std::size_t bytes : {1u, 33u, 100u}) {
    for (int root = 0; root < n; ++root) {
      auto memory = make_memory(n, always(bytes), [&](int k) { return k == root ? bytes : 0; });
      const Bytes expected = combined(memory, n, add);
      const auto played = play(memory, [&](Place place) { return reduce_halving(place, bytes, root); });
      ASSERT_EQ(played.problem, "") << "root " << root;
      ASSERT_EQ(memory[static_cast<std::size_t>(root)].result, expected) << "root " << root;
    }
  }
}

TEST_P(Members, AllreduceByDoublingKeepsTheOrder) {
  for (const std::size_t bytes : {0u, 8u, 80u}) {
    auto memory = make_memory(n, always(bytes), always(bytes));
    const Bytes expected = combined(memory, n, compose);
    const auto played =
        play(memory, [&](Place place) { return allreduce_recursive_doubling(place, bytes); }, compose);
    ASSERT_EQ(played.problem, "");
    for (const auto& member : memory) ASSERT_EQ(member.result, expected);
  }
}

TEST_P(Members, AllreduceByRingSendsTheBufferAboutTwice) {
  for (const std::size_t elements : {0u, 1u, 5u, 33u, 100u}) {
    const std::size_t bytes = elements * 4;
    auto memory = make_memory(n, always(bytes), always(bytes));
    const Bytes expected = combined(memory, n, add);
    const auto played = play(memory, [&](Place place) { return allreduce_ring(place, bytes, 4); });
    ASSERT_EQ(played.problem, "");
    for (const auto& member : memory) ASSERT_EQ(member.result, expected);
    EXPECT_EQ(played.message_bytes, 2 * static_cast<std::size_t>(n - 1) * bytes);
  }
}

TEST_P(Members, AllreduceByRingOfBuffersApartCopiesNothing) {
  for (const std::size_t elements : {0u, 1u, 5u, 33u, 100u}) {
    const std::size_t bytes = elements * 4;
    auto memory = make_memory(n, always(bytes), always(bytes));
    const auto sources = memory;
    const Bytes expected = combined(memory, n, add);
    // Every other one: their messages are the same.
    const auto played = play(memory, [&](Place place) {
      Program program = allreduce_ring(place, bytes, 4, {}, place.me % 2 == 0);
      if (place.me % 2 == 0 && n > 1) {
        EXPECT_EQ(program.scratch, 0u);
        for (const Step& step : program.steps) EXPECT_NE(step.action, Action::copy);
      }
      return program;
    });
    ASSERT_EQ(played.problem, "");
    for (int k = 0; k < n; ++k) {
      const auto member = static_cast<std::size_t>(k);
      ASSERT_EQ(memory[member].result, expected);
      ASSERT_EQ(memory[member].source, sources[member].source);
    }
    EXPECT_EQ(played.message_bytes, 2 * static_cast<std::size_t>(n - 1) * bytes);
  }
}

TEST_P(Members, AllreduceByHalvingGivesTheCombinationToAll) {
  for (const std::size_t bytes : {0u, 1u, 33u, 100u}) {
    auto memory = make_memory(n, always(bytes), always(bytes));
    const Bytes expected = combined(memory, n, add);
    const auto played = play(memory, [&](Place place) { return allreduce_halving(place, bytes); });
    ASSERT_EQ(played.problem, "");
    for (const auto& member : memory) ASSERT_EQ(member.result, expected);
  }
}

TEST_P(Members, ReduceScatterKeepsTheOrderOfMembers) {
  Blocks blocks;
  for (int k = 0; k < n; ++k) blocks.starts.push_back(blocks.starts.back() + 8u * ((k * 5u + 3u) % 4u));
  auto memory = make_memory(n, always(blocks.total()), [&](int k) { return blocks.count(k); });
  const Bytes expected = combined(memory, n, compose);
  const auto played =
      play(memory, [&](Place place) { return reduce_scatter_direct(place, blocks); }, compose);
  ASSERT_EQ(played.problem, "");
  for (int k = 0; k < n; ++k) {
    ASSERT_EQ(memory[static_cast<std::size_t>(k)].result, slice(expected, blocks.start(k), blocks.count(k)));
  }
}

TEST_P(Members, ExclusiveScanCombinesAllBelowMe) {
  auto memory = make_memory(n, always(16), always(16));
  const auto before = memory;
  const auto played = play(memory, [](Place place) { return exscan_recursive_doubling(place, 16); }, compose);
  ASSERT_EQ(played.problem, "");
  ASSERT_EQ(memory[0].result, before[0].result) << "nothing comes to member 0";
  for (int k = 1; k < n; ++k) {
    ASSERT_EQ(memory[static_cast<std::size_t>(k)].result, combined(before, k, compose)) << "member " << k;
  }
}

TEST_P(Members, ScanCombinesAllUpToMe) {
  auto memory = make_memory(n, always(16), always(16));
  const auto before = memory;
  const auto played = play(memory, [](Place place) { return scan_recursive_doubling(place, 16); }, compose);
  ASSERT_EQ(played.problem, "");
  for (int k = 0; k < n; ++k) {
    ASSERT_EQ(memory[static_cast<std::size_t>(k)].result, combined(before, k + 1, compose)) << "member " << k;
  }
}

TEST_P(Members, GatherPutsUnequalBlocksInMemberOrder) {
  const Blocks blocks = uneven_blocks(n);
  for (int root = 0; root < n; ++root) {
    auto memory = make_memory(
        n, [&](int k) { return blocks.count(k); }, [&](int k) { return k == root ? blocks.total() : 0; });
    const auto direct = [&](Place place) {
      return gather_direct(place, place.me == root ? blocks : Blocks(), blocks.count(place.me), root);
    };
    const auto binomial = [&](Place place) { return gather_binomial(place, blocks, root); };
    for (const std::function<Program(Place)>& algorithm :
         {std::function<Program(Place)>(binomial), {direct}}) {
      auto& gathered = memory[static_cast<std::size_t>(root)].result;
      gathered.assign(gathered.size(), std::byte{0});
      ASSERT_EQ(play(memory, algorithm).problem, "") << "root " << root;
      for (int k = 0; k < n; ++k) {
        ASSERT_EQ(slice(gathered, blocks.start(k), blocks.count(k)),
                  memory[static_cast<std::size_t>(k)].source);
      }
    }
  }
}

TEST_P(Members, ScatterGivesEachItsBlock) {
  const Blocks blocks = uneven_blocks(n);
  for (int root = 0; root < n; ++root) {
    auto memory = make_memory(
        n, [&](int k) { return k == root ? blocks.total() : 0; }, [&](int k) { return blocks.count(k); });
    const auto direct = [&](Place place) {
      return scatter_direct(place, place.me == root ? blocks : Blocks(), blocks.count(place.me), root);
    };
    const auto binomial = [&](Place place) { return scatter_binomial(place, blocks, root); };
    for (const std::function<Program(Place)>& algorithm :
         {std::function<Program(Place)>(binomial), {direct}}) {
      for (auto& member : memory) member.result.assign(member.result.size(), std::byte{0});
      ASSERT_EQ(play(memory, algorithm).problem, "") << "root " << root;
      for (int k = 0; k < n; ++k) {
        ASSERT_EQ(slice(memory[static_cast<std::size_t>(root)].source, blocks.start(k), blocks.count(k)),
                  memory[static_cast<std::size_t>(k)].result);
      }
    }
  }
}

TEST_P(Members, AllgatherGivesAllBlocksToAll) {
  for (const Blocks& blocks : {uneven_blocks(n), equal_blocks(n, 5), equal_blocks(n, 0)}) {
    for (const auto algorithm : {allgather_ring, allgather_bruck, allgather_direct}) {
      auto memory = make_memory(n, [&](int k) { return blocks.count(k); }, always(blocks.total()));
      const auto played = play(memory, [&](Place place) { return algorithm(place, blocks); });
      ASSERT_EQ(played.problem, "");
      for (const auto& member : memory) {
        for (int k = 0; k < n; ++k) {
          ASSERT_EQ(slice(member.result, blocks.start(k), blocks.count(k)),
                    memory[static_cast<std::size_t>(k)].source);
        }
      }
    }
  }
}

TEST_P(Members, AlltoallPairwiseMovesRangesOfAnyLength) {
  const auto length = [](int from, int to) { return static_cast<std::size_t>((from * 3 + to * 7) % 5); };
  const auto ranges_of = [&](int me, bool sending) {
    std::vector<Range> ranges;
    std::size_t end = 0;
    for (int k = 0; k < n; ++k) {
      const std::size_t bytes = sending ? length(me, k) : length(k, me);
      ranges.push_back({end, bytes});
      end += bytes;
    }
    return ranges;
  };
  const auto total = [](const std::vector<Range>& ranges) {
    return ranges.back().offset + ranges.back().count;
  };
  for (const auto& [window, nothing] :
       {std::pair{1, Nothing::sent}, {3, Nothing::sent}, {100, Nothing::sent}, {3, Nothing::left_out}}) {
    auto memory = make_memory(
        n, [&](int k) { return total(ranges_of(k, true)); },
        [&](int k) { return total(ranges_of(k, false)); });
    const auto played = play(memory, [&](Place place) {
      return alltoall_pairwise(place, ranges_of(place.me, true), ranges_of(place.me, false), window, nothing);
    });
    ASSERT_EQ(played.problem, "");
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        const Range sent = ranges_of(from, true)[static_cast<std::size_t>(to)];
        const Range got = ranges_of(to, false)[static_cast<std::size_t>(from)];
        ASSERT_EQ(slice(memory[static_cast<std::size_t>(to)].result, got.offset, got.count),
                  slice(memory[static_cast<std::size_t>(from)].source, sent.offset, sent.count));
      }
    }
  }
}

TEST_P(Members, AlltoallBruckMovesEveryBlockInFewMessages) {
  const std::size_t block = 3;
  const std::size_t whole = block * static_cast<std::size_t>(n);
  auto memory = make_memory(n, always(whole), always(whole));
  const auto played = play(memory, [&](Place place) { return alltoall_bruck(place, block); });
  ASSERT_EQ(played.problem, "");
  for (std::size_t from = 0; from < memory.size(); ++from) {
    for (std::size_t to = 0; to < memory.size(); ++to) {
      ASSERT_EQ(slice(memory[to].result, from * block, block), slice(memory[from].source, to * block, block));
    }
  }
  std::size_t rounds = 0;
  while ((1 << rounds) < n) ++rounds;
  EXPECT_EQ(played.messages, rounds * static_cast<std::size_t>(n));
}

TEST_P(Members, TransfersGoToNeighboursOfARing) {
  // Each to its right and its left neighbour, which may be the same one or itself.
  auto memory = make_memory(n, always(2), always(2));
  const auto played = play(memory, [&](Place place) {
    const int right = (place.me + 1) % n;
    const int left = (place.me + n - 1) % n;
    const Transfer receives[] = {{left, {0, 1}}, {right, {1, 1}}};
    const Transfer sends[] = {{right, {0, 1}}, {left, {1, 1}}};
    return transfers(receives, sends);
  });
  ASSERT_EQ(played.problem, "");
  for (std::size_t k = 0; k < memory.size(); ++k) {
    const std::size_t right = (k + 1) % memory.size();
    EXPECT_EQ(memory[right].result[0], memory[k].source[0]);
    EXPECT_EQ(memory[k].result[1], memory[right].source[1]);
  }
}

TEST_P(Members, WorkingTogetherWaitsForAllBeforeAndAfter) {
  auto memory = make_memory(n, always(4), always(4 * static_cast<std::size_t>(n)));
  std::vector<int> done(memory.size());
  Bytes table;
  for (const auto& member : memory) table.insert(table.end(), member.source.begin(), member.source.end());
  const auto programs = for_all_members(n, [](Place place) { return work_together(place, 4); });
  const auto played = simulate(programs, memory, add, [&](std::size_t member) {
    EXPECT_EQ(memory[member].result, table);
    ++done[member];
  });
  ASSERT_EQ(played.problem, "");
  EXPECT_EQ(std::count(done.begin(), done.end(), 1), n);
  EXPECT_EQ(played.messages, 2 * static_cast<std::size_t>(n * (n - 1)));
}

INSTANTIATE_TEST_SUITE_P(All, Members, testing::ValuesIn(member_counts(most_members)));

}  // namespace
}  // namespace taihu::schedule
