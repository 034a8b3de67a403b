// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/group.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/fake_cluster.h"

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

}  // namespace
}  // namespace taihu::collective
