// SPDX-License-Identifier: Apache-2.0
// Collectives between groups of 1 .. 6 members, with any root, against their plain definition.
#include "taihu/schedule/between_groups.h"

#include <gtest/gtest.h>

#include <functional>

#include "taihu/schedule/bytes_for_tests.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

constexpr std::size_t length = 12;
using MakeProgram = std::function<Program(TwoGroups groups, bool is_left)>;

// Pairs of bytes are maps x -> scale * x + shift modulo 256; composition is associative and not commutative.
void compose_pairs(std::byte* target, const std::byte* operand, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += 2) {
    const auto value = [k](const std::byte* of, std::size_t at) { return std::to_integer<int>(of[k + at]); };
    const int shift = value(target, 0) * value(operand, 1) + value(target, 1);
    target[k] = static_cast<std::byte>(value(operand, 0) * value(target, 0));
    target[k + 1] = static_cast<std::byte>(shift);
  }
}

struct Pair {
  int left, right;

  // Members of the left group come first; the programs of the others are told from their own point of view.
  std::vector<Program> programs(const MakeProgram& make) const {
    std::vector<Program> all;
    for (int me = 0; me < left; ++me) all.push_back(make({left, right, me}, true));
    std::vector<int> names;
    for (int k = 0; k < right; ++k) names.push_back(left + k);
    for (int k = 0; k < left; ++k) names.push_back(k);
    for (int me = 0; me < right; ++me) {
      all.push_back(make({right, left, me}, false));
      all.back().name_peers(names);
    }
    return all;
  }

  std::vector<MemberMemory> memory(std::size_t bytes) const {
    std::vector<MemberMemory> all;
    for (int k = 0; k < left + right; ++k) {
      Bytes source(bytes);
      for (std::size_t at = 0; at < bytes; ++at)
        source[at] = static_cast<std::byte>(k * 34 + 2 * static_cast<int>(at) + 1);
      all.push_back({source, Bytes(bytes, std::byte{0xee})});
    }
    return all;
  }

  Bytes combined(const std::vector<MemberMemory>& all, bool of_left) const {
    const int first = of_left ? 0 : left;
    const int end = of_left ? left : left + right;
    Bytes sum = all[static_cast<std::size_t>(end - 1)].source;
    for (int k = end - 1; k-- > first;) {
      compose_pairs(sum.data(), all[static_cast<std::size_t>(k)].source.data(), sum.size());
    }
    return sum;
  }
};

void on_pairs(const std::function<void(const Pair&)>& body) {
  for (int left = 1; left <= 6; ++left) {
    for (int right = 1; right <= 6; ++right) {
      SCOPED_TRACE(testing::Message() << left << " and " << right << " members");
      body({left, right});
    }
  }
}

Program reduce_here(TwoGroups groups) {
  return reduce_binomial(groups.here(), length, 0, Operands::ordered);
}

TEST(BetweenGroups, BarrierIsSound) {
  on_pairs([](const Pair& pair) {
    auto memory = pair.memory(0);
    const auto programs = pair.programs([](TwoGroups groups, bool) { return barrier_between(groups); });
    EXPECT_EQ(simulate(programs, memory, compose_pairs).problem, "");
  });
}

TEST(BetweenGroups, BcastGoesToTheOthersOnly) {
  on_pairs([](const Pair& pair) {
    for (int root = 0; root < pair.left; ++root) {
      auto memory = pair.memory(length);
      auto& sent = memory[static_cast<std::size_t>(root)];
      sent.result = sent.source;
      const auto programs = pair.programs([&](TwoGroups groups, bool is_left) {
        if (is_left && groups.me != root) return Program();
        return bcast_between(groups, length, is_left ? Side::root : Side::others, root,
                             bcast_binomial(groups.here(), length, 0));
      });
      ASSERT_EQ(simulate(programs, memory, compose_pairs).problem, "");
      for (int k = 0; k < pair.right; ++k) {
        EXPECT_EQ(memory[static_cast<std::size_t>(pair.left + k)].result, sent.source);
      }
    }
  });
}

TEST(BetweenGroups, ReduceCombinesTheOthersInOrder) {
  on_pairs([](const Pair& pair) {
    for (int root = 0; root < pair.left; ++root) {
      auto memory = pair.memory(length);
      const auto programs = pair.programs([&](TwoGroups groups, bool is_left) {
        if (is_left && groups.me != root) return Program();
        return reduce_between(groups, length, is_left ? Side::root : Side::others, root, reduce_here(groups));
      });
      ASSERT_EQ(simulate(programs, memory, compose_pairs).problem, "");
      EXPECT_EQ(memory[static_cast<std::size_t>(root)].result, pair.combined(memory, false));
    }
  });
}

TEST(BetweenGroups, AllreduceGivesEachTheCombinationOfTheOthers) {
  on_pairs([](const Pair& pair) {
    auto memory = pair.memory(length);
    const auto programs = pair.programs([](TwoGroups groups, bool) {
      return allreduce_between(groups, length, reduce_here(groups), bcast_binomial(groups.here(), length, 0));
    });
    ASSERT_EQ(simulate(programs, memory, compose_pairs).problem, "");
    for (int k = 0; k < pair.left + pair.right; ++k) {
      EXPECT_EQ(memory[static_cast<std::size_t>(k)].result, pair.combined(memory, k >= pair.left));
    }
  });
}

TEST(BetweenGroups, ReduceScatterCutsTheCombinationOfTheOthers) {
  on_pairs([](const Pair& pair) {
    auto memory = pair.memory(length);
    const auto programs = pair.programs([](TwoGroups groups, bool) {
      return reduce_scatter_between(groups, split_blocks(groups.mine, length), reduce_here(groups));
    });
    ASSERT_EQ(simulate(programs, memory, compose_pairs).problem, "");
    for (int k = 0; k < pair.left + pair.right; ++k) {
      const bool is_left = k < pair.left;
      const Blocks blocks = split_blocks(is_left ? pair.left : pair.right, length);
      const int block = is_left ? k : k - pair.left;
      const Bytes expected = pair.combined(memory, !is_left);
      for (std::size_t at = 0; at < blocks.count(block); ++at) {
        EXPECT_EQ(memory[static_cast<std::size_t>(k)].result[at], expected[blocks.start(block) + at]);
      }
    }
  });
}

}  // namespace
}  // namespace taihu::schedule
