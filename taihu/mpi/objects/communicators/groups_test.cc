// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "taihu/mpi/objects/communicators/group_operations.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

using Ranks = std::vector<int>;

int code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CallError& error) {
    return error.code();
  }
  return MPI_SUCCESS;
}

TEST(groups, keep_the_order_of_the_first) {
  const Group a({4, 2, 0}), b({0, 5, 4});
  EXPECT_EQ(unite(a, b), (Ranks{4, 2, 0, 5}));
  EXPECT_EQ(intersect(a, b), (Ranks{4, 0}));
  EXPECT_EQ(subtract(a, b), (Ranks{2}));
  EXPECT_EQ(subtract(a, a), Ranks{});
}

TEST(groups, compare) {
  const Group a({1, 2, 3}), b({3, 1, 2}), c({1, 2, 4}), empty({});
  EXPECT_EQ(compare(a, a), MPI_IDENT);
  EXPECT_EQ(compare(a, b), MPI_SIMILAR);
  EXPECT_EQ(compare(a, c), MPI_UNEQUAL);
  EXPECT_EQ(compare(a, empty), MPI_UNEQUAL);
  EXPECT_EQ(compare(empty, Group({})), MPI_IDENT);
}

TEST(groups, include_and_exclude) {
  const Group group({10, 11, 12, 20});
  EXPECT_EQ(include(group, Ranks{3, 0}), (Ranks{20, 10}));
  EXPECT_EQ(exclude(group, Ranks{3, 0}), (Ranks{11, 12}));
  EXPECT_EQ(include(group, Ranks{}), Ranks{});
  EXPECT_EQ(code_of([&] { include(group, Ranks{4}); }), MPI_ERR_RANK);
  EXPECT_EQ(code_of([&] { include(group, Ranks{-1}); }), MPI_ERR_RANK);
  EXPECT_EQ(code_of([&] { exclude(group, Ranks{1, 1}); }), MPI_ERR_RANK);
}

Ranks ranges(const Group& group, std::vector<std::array<int, 3>> list) {
  return members_of_ranges(group, {reinterpret_cast<const int(*)[3]>(list.data()), list.size()});
}

TEST(groups, ranges_may_go_down_and_skip) {
  const Group group({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(ranges(group, {{0, 9, 4}}), (Ranks{0, 4, 8}));
  EXPECT_EQ(ranges(group, {{7, 1, -3}, {9, 9, 5}}), (Ranks{7, 4, 1, 9}));
  EXPECT_EQ(ranges(group, {{2, 100, 99}}), Ranks{2}) << "only the ranks reached count";
}

TEST(groups, ranges_that_lead_nowhere_are_errors) {
  const Group group({0, 1, 2, 3});
  EXPECT_EQ(code_of([&] { ranges(group, {{0, 3, 0}}); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { ranges(group, {{3, 0, 1}}); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { ranges(group, {{0, 3, -1}}); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { ranges(group, {{0, 4, 1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(code_of([&] { ranges(group, {{0, 2, 1}, {2, 3, 1}}); }), MPI_ERR_RANK);
  EXPECT_EQ(code_of([&] { ranges(group, {{0, 2147483647, 1}}); }), MPI_ERR_RANK);
}

TEST(groups, calls_translate_and_free) {
  run_ranks(4, [](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Group world, part, none;
    ASSERT_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    const int members[] = {3, 1};
    ASSERT_EQ(MPI_Group_incl(world, 2, members, &part), MPI_SUCCESS);
    int mine, size;
    MPI_Group_rank(part, &mine);
    MPI_Group_size(part, &size);
    EXPECT_EQ(mine, rank.number() == 3 ? 0 : rank.number() == 1 ? 1 : MPI_UNDEFINED);
    EXPECT_EQ(size, 2);
    const int from[] = {0, 1, MPI_PROC_NULL, 3};
    int to[4];
    ASSERT_EQ(MPI_Group_translate_ranks(world, 4, from, part, to), MPI_SUCCESS);
    EXPECT_EQ((std::vector<int>(to, to + 4)), (std::vector<int>{MPI_UNDEFINED, 1, MPI_PROC_NULL, 0}));
    MPI_Group_difference(part, world, &none);
    EXPECT_EQ(none, MPI_GROUP_EMPTY);
    EXPECT_EQ(MPI_Group_free(&none), MPI_SUCCESS);
    EXPECT_EQ(MPI_Group_free(&none), MPI_ERR_GROUP);
    EXPECT_EQ(MPI_Group_size(MPI_GROUP_NULL, &size), MPI_ERR_GROUP);
    EXPECT_EQ(MPI_Group_incl(world, -1, members, &none), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Group_size(world, nullptr), MPI_ERR_ARG);
    MPI_Group_free(&part);
    MPI_Group_free(&world);
  });
}

}  // namespace
}  // namespace taihu::mpi
