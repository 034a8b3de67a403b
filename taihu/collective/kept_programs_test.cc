// SPDX-License-Identifier: Apache-2.0
// Calls between node processes that are like the one before, or differ from it in one thing: kept programs
// are taken again where they fit and nowhere else.
#include <algorithm>
#include <array>
#include <span>

#include "taihu/collective/collectives_fixture.h"
#include "taihu/collective/kept_run.h"
#include "taihu/collective/test_data.h"
#include "taihu/schedule/algorithms.h"

namespace taihu::collective {
namespace {

/// What all members draw alike.
struct Drawn {
  int kind;
  int root;
  std::size_t bytes;  ///< elements of reductions
  std::uint64_t seed;
  Typing typing{M_CHAR, M_SUM};
};

Elements bytes_for(int member, const Drawn& drawn) {
  return make_source(member, drawn.bytes, {M_CHAR, M_SUM}, drawn.seed);
}
Elements numbers_for(int member, const Drawn& drawn) {
  return make_source(member, drawn.bytes, drawn.typing, drawn.seed);
}
Elements sum_up_to(int members, const Drawn& drawn) {
  return reduce_plainly(members, drawn.bytes, drawn.typing, drawn.seed);
}

/// Blocks for all members, with gaps that change from call to call.
struct Row {
  Row(int members, const Drawn& drawn) {
    std::size_t next = drawn.seed % 5;
    for (int k = 0; k < members; ++k) {
      lengths.push_back(drawn.bytes + static_cast<std::size_t>(k) % 3);
      offsets.push_back(static_cast<std::ptrdiff_t>(next));
      next += lengths.back() + (drawn.seed + static_cast<std::uint64_t>(k)) % 4;
    }
    data = make_source(members, next, {M_CHAR, M_SUM}, drawn.seed);
  }
  Elements block(int member) const {
    const auto k = static_cast<std::size_t>(member);
    return {data.begin() + offsets[k], data.begin() + offsets[k] + static_cast<std::ptrdiff_t>(lengths[k])};
  }
  std::vector<std::size_t> lengths;
  std::vector<std::ptrdiff_t> offsets;
  Elements data;
};

void gather_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const int n = handle.size();
  const bool is_root = handle.rank() == drawn.root;
  const Elements mine = bytes_for(handle.rank(), drawn);
  Elements whole(is_root ? drawn.bytes * static_cast<std::size_t>(n) : 0);
  ASSERT_EQ(gather(handle, mine.data(), whole.data(), drawn.bytes, drawn.root), M_SUCCESS);
  for (int k = 0; is_root && k < n; ++k)
    ASSERT_TRUE(
        std::ranges::equal(bytes_for(k, drawn),
                           std::span(whole).subspan(static_cast<std::size_t>(k) * drawn.bytes, drawn.bytes)));
}

void scatter_and_compare(GroupHandle& handle, const Drawn& drawn) {
  Elements whole;
  for (int k = 0; k < handle.size(); ++k) {
    const Elements block = bytes_for(k, drawn);
    whole.insert(whole.end(), block.begin(), block.end());
  }
  Elements mine(drawn.bytes);
  const bool is_root = handle.rank() == drawn.root;
  ASSERT_EQ(scatter(handle, is_root ? whole.data() : nullptr, mine.data(), drawn.bytes, drawn.root),
            M_SUCCESS);
  ASSERT_EQ(mine, bytes_for(handle.rank(), drawn));
}

void gatherv_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Row row(handle.size(), drawn);
  const Elements mine = row.block(handle.rank());
  const bool is_root = handle.rank() == drawn.root;
  Row got = row;
  if (is_root) std::ranges::fill(got.data, std::byte{0xaa});
  ASSERT_EQ(
      gatherv(handle, mine.data(), mine.size(), is_root ? got.data.data() : nullptr,
              is_root ? row.lengths.data() : nullptr, is_root ? row.offsets.data() : nullptr, drawn.root),
      M_SUCCESS);
  for (int k = 0; k < handle.size(); ++k) ASSERT_EQ(got.block(k), row.block(k));
}

void scatterv_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Row row(handle.size(), drawn);
  Elements mine(row.lengths[static_cast<std::size_t>(handle.rank())]);
  const bool is_root = handle.rank() == drawn.root;
  ASSERT_EQ(scatterv(handle, is_root ? row.data.data() : nullptr, is_root ? row.lengths.data() : nullptr,
                     is_root ? row.offsets.data() : nullptr, mine.data(), mine.size(), drawn.root),
            M_SUCCESS);
  ASSERT_EQ(mine, row.block(handle.rank()));
}

void allgather_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Elements mine = bytes_for(handle.rank(), drawn);
  Elements whole(drawn.bytes * static_cast<std::size_t>(handle.size())), expected;
  ASSERT_EQ(allgather(handle, mine.data(), whole.data(), drawn.bytes), M_SUCCESS);
  for (int k = 0; k < handle.size(); ++k) {
    const Elements block = bytes_for(k, drawn);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  ASSERT_EQ(whole, expected);
}

void alltoall_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const int n = handle.size(), me = handle.rank();
  Elements source, expected, result(drawn.bytes * static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const Elements out = bytes_for(me * n + k, drawn), in = bytes_for(k * n + me, drawn);
    source.insert(source.end(), out.begin(), out.end());
    expected.insert(expected.end(), in.begin(), in.end());
  }
  ASSERT_EQ(alltoall(handle, source.data(), result.data(), drawn.bytes), M_SUCCESS);
  ASSERT_EQ(result, expected);
}

void barrier_and_compare(GroupHandle& handle, const Drawn&) {
  ASSERT_EQ(barrier(handle), M_SUCCESS);
}

void bcast_and_compare(GroupHandle& handle, const Drawn& drawn) {
  Elements data = bytes_for(handle.rank(), drawn);
  ASSERT_EQ(bcast(handle, data.data(), drawn.bytes, drawn.root), M_SUCCESS);
  ASSERT_EQ(data, bytes_for(drawn.root, drawn));
}

void allreduce_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Elements mine = numbers_for(handle.rank(), drawn);
  Elements sum = mine;
  const void* source = drawn.seed % 2 == 0 ? sum.data() : mine.data();  // in place at times
  ASSERT_EQ(allreduce(handle, source, sum.data(), static_cast<long>(drawn.bytes), drawn.typing.type,
                      drawn.typing.op),
            M_SUCCESS);
  ASSERT_EQ(sum, sum_up_to(handle.size(), drawn));
}

void reduce_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Elements mine = numbers_for(handle.rank(), drawn);
  const bool is_root = handle.rank() == drawn.root;
  Elements sum = drawn.seed % 2 == 0 ? mine : Elements(mine.size());
  const void* source = drawn.seed % 2 == 0 && is_root ? sum.data() : mine.data();  // in place at times
  ASSERT_EQ(reduce(handle, source, is_root ? sum.data() : nullptr, static_cast<long>(drawn.bytes),
                   drawn.typing.type, drawn.typing.op, drawn.root),
            M_SUCCESS);
  if (is_root) {
    ASSERT_EQ(sum, sum_up_to(handle.size(), drawn));
  }
}

void scans_and_compare(GroupHandle& handle, const Drawn& drawn) {
  const Elements mine = numbers_for(handle.rank(), drawn);
  Elements sum(mine.size());
  ASSERT_EQ(scan(handle, mine.data(), sum.data(), static_cast<long>(drawn.bytes), drawn.typing.type,
                 drawn.typing.op),
            M_SUCCESS);
  ASSERT_EQ(sum, sum_up_to(handle.rank() + 1, drawn));
  const Reduction reduction = *find_reduction(drawn.typing.type, drawn.typing.op);
  ASSERT_EQ(exscan(handle, mine.data(), sum.data(), drawn.bytes, reduction), M_SUCCESS);
  if (handle.rank() != 0) {
    ASSERT_EQ(sum, sum_up_to(handle.rank(), drawn));
  }
}

constexpr void (*calls_drawn[])(GroupHandle&, const Drawn&) = {
    gather_and_compare,    scatter_and_compare,  gatherv_and_compare,  scatterv_and_compare,
    allgather_and_compare, alltoall_and_compare, reduce_and_compare,   scans_and_compare,
    barrier_and_compare,   bcast_and_compare,    allreduce_and_compare};
constexpr Typing typings_drawn[] = {{M_CHAR, M_SUM}, {M_INT, M_SUM}, {M_INT, M_PROD}, {M_DOUBLE, M_SUM}};

using KeptProgramsOfCalls = Collectives;

TEST_P(KeptProgramsOfCalls, AreTakenAgainOnlyForCallsLikeThem) {
  run([&](GroupHandle& handle) {
    const int rank = handle.global_rank(handle.rank());
    std::vector<int> backwards = member_list(GetParam());
    std::ranges::reverse(backwards);
    GroupHandle other = job_.groups_of(rank).join(job_.endpoint(rank), first_free_context + 1, backwards);
    Random random(17);
    Drawn drawn{0, 0, 8, 0};
    for (int call = 0; call < plain_or_sanitized(400, 120) && !testing::Test::HasFatalFailure(); ++call) {
      // Mostly as the one before.
      const std::size_t change = random.below(8);
      if (change == 0) drawn.root = static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
      if (change == 1) drawn.bytes = std::array<std::size_t, 5>{0, 1, 8, 24, 2000}[random.below(5)];
      if (change < 4) drawn.kind = static_cast<int>(random.below(std::size(calls_drawn)));
      // With the number of elements as it was.
      if (random.below(3) == 0) drawn.typing = typings_drawn[random.below(std::size(typings_drawn))];
      ++drawn.seed;
      calls_drawn[drawn.kind](random.below(3) == 0 ? other : handle, drawn);
    }
  });
}

TEST_P(KeptProgramsOfCalls, AreMadeOnceForCallsThatAreAlike) {
  run([&](GroupHandle& handle) {
    int made = 0;
    const auto meet = [&](std::size_t count) {
      return run_kept_among_all(handle, {.call = Call::barrier, .count = count}, {}, nullptr, [&] {
        ++made;
        return schedule::barrier({.members = handle.size(), .me = handle.rank()});
      });
    };
    for (int call = 0; call < 3; ++call) ASSERT_EQ(meet(0), M_SUCCESS);
    EXPECT_EQ(made, 1);
    ASSERT_EQ(meet(1), M_SUCCESS);
    EXPECT_EQ(made, 2);
  });
}

TEST_P(KeptProgramsOfCalls, AreNotTakenByTheNextGroupOfTheSameMembers) {
  run([&](GroupHandle& handle) {
    const int rank = handle.global_rank(handle.rank());
    std::vector<int> ranks = member_list(GetParam());
    for (message::Context context = first_free_context + 1; context < first_free_context + 6; ++context) {
      GroupHandle next = job_.groups_of(rank).join(job_.endpoint(rank), context, ranks);
      const Drawn drawn{0, 0, 8, context};
      barrier_and_compare(next, drawn);
      bcast_and_compare(next, drawn);
      allreduce_and_compare(next, drawn);
      std::ranges::rotate(ranks, ranks.begin() + 1);
    }
  });
}

std::vector<Setting> settings_between_processes() {
  constexpr auto shuffled = Setting::Order::shuffled;
  return {{2, 2, 64},
          {3, 3, 1},
          {3, 3, 1, Transport::twin, shuffled},
          {5, 2, 1},
          {2, 2, 64, Transport::messages},
          {4, 3, 1, Transport::messages, shuffled}};
}

INSTANTIATE_TEST_SUITE_P(All, KeptProgramsOfCalls, testing::ValuesIn(settings_between_processes()), name_of);

}  // namespace
}  // namespace taihu::collective
