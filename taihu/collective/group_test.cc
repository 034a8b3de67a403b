// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/fake_cluster.h"
#include "taihu/collective/spare_boards.h"

namespace taihu::collective {
namespace {

TEST(Membership, KnowsWhoIsWhere) {
  FakeCluster cluster(7, 3);  // ranks 0-2, 3-4, 5-6
  const std::vector<int> ranks{1, 2, 5, 6};
  const Membership there = make_membership(cluster.layout, 2, ranks);
  EXPECT_EQ(there.members_of, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(there.here, 1);
  EXPECT_TRUE(there.consecutive);
  EXPECT_EQ(make_membership(cluster.layout, 1, ranks).here, -1);
  const Membership mixed = make_membership(cluster.layout, 0, std::vector<int>{6, 0, 5, 1});
  EXPECT_EQ(mixed.members_of, (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
  EXPECT_FALSE(mixed.consecutive);
  EXPECT_EQ(mixed.local_index, (std::vector<int>{0, 0, 1, 1}));
}

TEST(Groups, ScopeGroupsAreBlocksOfRanks) {
  FakeCluster cluster(6, 1, 3);
  Groups groups(cluster.nodes[0]);
  GroupHandle handle = groups.join(cluster.endpoint(4), launch::Scope::node);
  EXPECT_EQ(handle.size(), 3);
  EXPECT_EQ(handle.rank(), 1);
  EXPECT_EQ(handle.global_rank(0), 3);
  EXPECT_EQ(handle.global_rank(3), -1);
  EXPECT_EQ(groups.join(cluster.endpoint(4), launch::Scope::all).size(), 6);
}

TEST(Groups, RefuseImpossibleMemberLists) {
  FakeCluster cluster(4, 1);
  Groups groups(cluster.nodes[0]);
  const auto join = [&](std::vector<int> ranks) {
    groups.join(cluster.endpoint(1), first_free_context, ranks);
  };
  EXPECT_THROW(join({}), Error);
  EXPECT_THROW(join({0, 2}), Error);
  EXPECT_THROW(join({1, 1}), Error);
  EXPECT_THROW(join({1, 4}), Error);
  EXPECT_THROW(join({-1, 1}), Error);
}

TEST(Groups, LateMemberFindsWhatOthersDidBeforeTheyLeft) {
  FakeCluster cluster(2, 1);
  Groups groups(cluster.nodes[0]);
  const std::vector<int> ranks{0, 1};
  for (int round = 0; round < 3; ++round) {
    int value = 40 + round;
    {
      GroupHandle root = groups.join(cluster.endpoint(0), first_free_context, ranks);
      ASSERT_EQ(bcast(root, &value, sizeof value, 0), M_SUCCESS);
    }
    GroupHandle reader = groups.join(cluster.endpoint(1), first_free_context, ranks);
    value = 0;
    ASSERT_EQ(bcast(reader, &value, sizeof value, 0), M_SUCCESS);
    EXPECT_EQ(value, 40 + round);
  }
}

TEST(Groups, LeaveNothingWhenAllMembersHaveLeft) {
  FakeCluster cluster(4, 2);  // ranks 0 and 1 here
  Groups groups(cluster.nodes[0]);
  const std::vector<int> ranks{3, 1, 0};
  for (message::Context context = first_free_context; context < first_free_context + 1000; ++context) {
    const bool in_order = context % 2 == 0;
    {
      GroupHandle first = groups.join(cluster.endpoint(in_order ? 0 : 1), context, ranks);
      EXPECT_EQ(groups.count(), 1u);
    }
    EXPECT_EQ(groups.count(), 1u) << "the other member is still to come";
    GroupHandle second = groups.join(cluster.endpoint(in_order ? 1 : 0), context, ranks);
    EXPECT_EQ(groups.count(), 1u);
    GroupHandle moved = std::move(second);
  }
  EXPECT_EQ(groups.count(), 0u);
}

/// Both members of a group of ranks 0 and 1, by one thread: `calls` broadcasts of one, then the other takes
/// them.
void call_as_both(GroupHandle& root, GroupHandle& reader, int calls) {
  for (int k = 0; k < calls; ++k) ASSERT_EQ(bcast(root, &k, sizeof k, 0), M_SUCCESS);
  for (int k = 0; k < calls; ++k) {
    int value = -1;
    ASSERT_EQ(bcast(reader, &value, sizeof value, 0), M_SUCCESS);
    EXPECT_EQ(value, k);
  }
}

TEST(Groups, OneBehindTheOtherOfTheSameMembersHaveOneBoard) {
  FakeCluster cluster(3, 1);
  Groups groups(cluster.nodes[0]);
  message::Context context = first_free_context;
  const Board* board = nullptr;
  for (int calls = 0; calls < 40; ++calls, ++context) {
    const std::vector<int> ranks{0, 1};
    GroupHandle root = groups.join(cluster.endpoint(0), context, ranks);
    GroupHandle reader = groups.join(cluster.endpoint(1), context, ranks);
    call_as_both(root, reader, calls);
    if (board != nullptr) {
      EXPECT_EQ(&root.board(), board);
    }
    board = &root.board();
    // One beside it, and one of others, have their own.
    const std::vector<int> others{0, 2};
    GroupHandle root_beside = groups.join(cluster.endpoint(0), context + 1000, ranks);
    GroupHandle other = groups.join(cluster.endpoint(0), context + 2000, others);
    EXPECT_NE(&root_beside.board(), board);
    EXPECT_NE(&other.board(), board);
    GroupHandle reader_beside = groups.join(cluster.endpoint(1), context + 1000, ranks);
    call_as_both(root_beside, reader_beside, 3);
    groups.join(cluster.endpoint(2), context + 2000, others);
  }
  EXPECT_EQ(groups.count(), 0u);
}

TEST(Groups, WhoseMembersLeaveAtDifferentCallsLeaveTheNextOnesAlone) {
  FakeCluster cluster(2, 1);
  Groups groups(cluster.nodes[0]);
  const std::vector<int> ranks{0, 1};
  for (message::Context context = first_free_context; context < first_free_context + 20; ++context) {
    GroupHandle root = groups.join(cluster.endpoint(0), context, ranks);
    GroupHandle reader = groups.join(cluster.endpoint(1), context, ranks);
    call_as_both(root, reader, 2);
    int value = 1;
    if (context % 2 == 0) {
      EXPECT_EQ(bcast(root, &value, sizeof value, 0), M_SUCCESS);
    }
  }
}

TEST(SpareBoards, KeepTheLatestOfSoManyMembers) {
  threads::Doorbell bells[3];
  const std::vector<threads::Doorbell*> two{&bells[0], &bells[1]}, all{&bells[0], &bells[1], &bells[2]};
  SpareBoards spares(4);
  std::list<std::unique_ptr<Board>> gone;
  const auto keep = [&](const std::vector<threads::Doorbell*>& doorbells) {
    auto board = std::make_unique<Board>(doorbells, false);
    spares.keep(board, gone);
  };
  keep(two);
  EXPECT_EQ(spares.take(all, false), nullptr);
  EXPECT_EQ(spares.take(two, true), nullptr);
  EXPECT_NE(spares.take(two, false), nullptr);
  EXPECT_EQ(spares.take(two, false), nullptr);
  keep(two);
  keep(two);
  EXPECT_EQ(gone.size(), 0u);
  keep(all);
  EXPECT_EQ(gone.size(), 2u);
  EXPECT_EQ(spares.take(two, false), nullptr);
  EXPECT_NE(spares.take(all, false), nullptr);
}

TEST(SpareBoards, KeepNoneThatNobodyCanTake) {
  threads::Doorbell bells[2];
  const std::vector<threads::Doorbell*> two{&bells[0], &bells[1]};
  SpareBoards spares(4);
  std::list<std::unique_ptr<Board>> gone;
  auto board = std::make_unique<Board>(two, false);
  board->own(1).step = 1;
  spares.keep(board, gone);
  EXPECT_EQ(gone.size(), 1u);
  EXPECT_EQ(spares.take(two, false), nullptr);
}

TEST(SpareBoards, AreNotTooManyToLookThrough) {
  threads::Doorbell bell;
  const std::vector<threads::Doorbell*> alone{&bell};
  SpareBoards spares(10 * SpareBoards::most_boards);
  std::list<std::unique_ptr<Board>> gone;
  for (std::size_t k = 0; k < SpareBoards::most_boards + 3; ++k) {
    auto board = std::make_unique<Board>(alone, false);
    spares.keep(board, gone);
  }
  EXPECT_EQ(gone.size(), 3u);
}

TEST(Groups, WithoutCollectivesLeaveSpareBoardsToOthers) {
  FakeCluster cluster(2, 1);
  Groups groups(cluster.nodes[0]);
  const std::vector<int> ranks{0, 1};
  const Board* board = nullptr;
  {
    GroupHandle root = groups.join(cluster.endpoint(0), first_free_context, ranks);
    GroupHandle reader = groups.join(cluster.endpoint(1), first_free_context, ranks);
    call_as_both(root, reader, 1);
    board = &root.board();
  }
  GroupHandle root = groups.join(cluster.endpoint(0), first_free_context + 1, ranks);
  GroupHandle reader = groups.join(cluster.endpoint(1), first_free_context + 1, ranks);
  GroupHandle next_root = groups.join(cluster.endpoint(0), first_free_context + 2, ranks);
  GroupHandle next_reader = groups.join(cluster.endpoint(1), first_free_context + 2, ranks);
  call_as_both(next_root, next_reader, 1);
  EXPECT_EQ(&next_root.board(), board);
  call_as_both(root, reader, 1);
  EXPECT_NE(&root.board(), board);
}

TEST(Groups, WithOneMemberHereKeepABoardForEachRank) {
  FakeCluster cluster(4, 2);  // ranks 0 and 1 here
  auto groups = std::make_unique<Groups>(cluster.nodes[0]);
  const Board* boards[2] = {};
  message::Context context = first_free_context;
  for (int round = 0; round < 20; ++round, ++context) {
    const std::vector<int> alone{0}, with_another_process{3, 1};
    GroupHandle first = groups->join(cluster.endpoint(0), context, alone);
    GroupHandle second = groups->join(cluster.endpoint(1), context, with_another_process);
    EXPECT_EQ(groups->count(), 2u);
    int value = round;
    ASSERT_EQ(bcast(first, &value, sizeof value, 0), M_SUCCESS);
    ASSERT_EQ(barrier(first), M_SUCCESS);
    EXPECT_EQ(value, round);
    if (round > 0) {
      EXPECT_EQ(&first.board(), boards[0]);
      EXPECT_EQ(&second.board(), boards[1]);
    }
    boards[0] = &first.board();
    boards[1] = &second.board();
    // One beside it has its own, which goes when the other's is kept.
    EXPECT_NE(&groups->join(cluster.endpoint(0), context + 1000, alone).board(), boards[0]);
  }
  EXPECT_EQ(groups->count(), 0u);
  EXPECT_THROW(groups->join(cluster.endpoint(0), context, std::vector<int>{0, 4}), Error);
  GroupHandle last = groups->join(cluster.endpoint(0), context, std::vector<int>{0});
  groups.reset();
  EXPECT_EQ(barrier(last), M_SUCCESS);
}

TEST(Groups, OfOneContextAndOtherMembersAreApart) {
  FakeCluster cluster(4, 1);
  Groups groups(cluster.nodes[0]);
  GroupHandle left = groups.join(cluster.endpoint(0), first_free_context, std::vector<int>{0, 2});
  GroupHandle right = groups.join(cluster.endpoint(1), first_free_context, std::vector<int>{1, 3});
  EXPECT_EQ(groups.count(), 2u);
  EXPECT_EQ(left.global_rank(1), 2);
  EXPECT_EQ(right.global_rank(1), 3);
  EXPECT_THROW(groups.join(cluster.endpoint(2), first_free_context, std::vector<int>{0, 2, 3}), Error);
}

TEST(Groups, HandlesMayOutliveThem) {
  FakeCluster cluster(2, 1);
  auto groups = std::make_unique<Groups>(cluster.nodes[0]);
  const std::vector<int> ranks{0, 1};
  GroupHandle root = groups->join(cluster.endpoint(0), first_free_context, ranks);
  GroupHandle reader = groups->join(cluster.endpoint(1), first_free_context, ranks);
  groups.reset();
  int value = 5;
  EXPECT_EQ(bcast(root, &value, sizeof value, 0), M_SUCCESS);
  value = 0;
  EXPECT_EQ(bcast(reader, &value, sizeof value, 0), M_SUCCESS);
  EXPECT_EQ(value, 5);
}

TEST(Groups, RootsOfShortDataAreTensOfCallsAhead) {
  FakeCluster cluster(2, 1);
  Groups groups(cluster.nodes[0], 1);
  const std::vector<int> ranks{0, 1};
  GroupHandle root = groups.join(cluster.endpoint(0), first_free_context, ranks);
  GroupHandle other = groups.join(cluster.endpoint(1), first_free_context, ranks);
  constexpr int calls = 15;  // of four each
  std::vector<int> data(2 * 64);
  std::vector<int> result(64);
  for (int k = 0; k < calls; ++k) {  // all without the other one
    std::fill(data.begin(), data.end(), k);
    ASSERT_EQ(bcast(root, data.data(), 256, 0), M_SUCCESS);
    ASSERT_EQ(scatter(root, data.data(), result.data(), 64, 0), M_SUCCESS);
    ASSERT_EQ(gather(root, data.data(), nullptr, 64, 1), M_SUCCESS);
    ASSERT_EQ(reduce(root, data.data(), nullptr, 16, M_INT, M_SUM, 1), M_SUCCESS);
  }
  for (int k = 0; k < calls; ++k) {
    ASSERT_EQ(bcast(other, result.data(), 256, 0), M_SUCCESS);
    EXPECT_EQ(result, std::vector<int>(64, k));
    ASSERT_EQ(scatter(other, nullptr, result.data(), 64, 0), M_SUCCESS);
    EXPECT_EQ(result[15], k);
    ASSERT_EQ(gather(other, result.data(), data.data(), 64, 1), M_SUCCESS);
    EXPECT_EQ(data[0], k);
    ASSERT_EQ(reduce(other, result.data(), data.data(), 16, M_INT, M_SUM, 1), M_SUCCESS);
    EXPECT_EQ(data[15], 2 * k);
  }
}

}  // namespace
}  // namespace taihu::collective
