// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/make_communicator.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

/// All members see the same contexts, nobody else's.
class Contexts {
 public:
  void add(Communicator& communicator) {
    const std::lock_guard hold(lock_);
    const auto [known, is_new] = groups_.try_emplace(communicator.context, communicator.group->ranks);
    EXPECT_EQ(known->second, communicator.group->ranks);
    EXPECT_GE(communicator.rank, 0);
  }
  std::size_t different() const { return groups_.size(); }

 private:
  std::mutex lock_;
  std::map<message::Context, std::vector<int>> groups_;
};

TEST(make_communicator, duplicates_have_contexts_of_their_own) {
  for (const TestShape& shape : {TestShape(1), TestShape(4), TestShape(5, 2), TestShape(7, 3)}) {
    Contexts contexts;
    run_ranks(shape, [&](Rank& rank) {
      const Reference<Communicator> first = duplicate(rank.world());
      const Reference<Communicator> second = duplicate(*first);
      for (Communicator* each : {&rank.world(), first.get(), second.get()}) contexts.add(*each);
      EXPECT_EQ(second->errors.get(), rank.world().errors.get());
      EXPECT_EQ(allgather_inside(*second, rank.number()), rank.world().group->ranks);
    });
    EXPECT_EQ(contexts.different(), 3u);
  }
}

TEST(make_communicator, a_split_orders_by_key_then_rank) {
  for (const TestShape& shape : {TestShape(7), TestShape(7, 3)}) {
    Contexts contexts;
    run_ranks(shape, [&](Rank& rank) {
      const int color = rank.number() == 6 ? MPI_UNDEFINED : rank.number() % 2;
      const Reference<Communicator> part = split(rank.world(), color, rank.number() < 2 ? 5 : -1);
      if (color == MPI_UNDEFINED) {
        EXPECT_FALSE(part);
        return;
      }
      const std::vector<int> expected = color == 0 ? std::vector<int>{2, 4, 0} : std::vector<int>{3, 5, 1};
      EXPECT_EQ(part->group->ranks, expected);
      EXPECT_EQ(allgather_inside(*part, rank.number()), expected);
      contexts.add(*part);
    });
    EXPECT_EQ(contexts.different(), 2u);
  }
}

TEST(make_communicator, a_subset_has_the_order_that_was_asked_for) {
  run_ranks({5, 2}, [](Rank& rank) {
    const Reference<Communicator> part = make_subset(rank.world(), {4, 1, 2});
    const bool is_member = rank.number() == 1 || rank.number() == 2 || rank.number() == 4;
    ASSERT_EQ(static_cast<bool>(part), is_member);
    if (is_member) {
      EXPECT_EQ(allgather_inside(*part, rank.number()), (std::vector<int>{4, 1, 2}));
    }
    EXPECT_FALSE(make_subset(rank.world(), {}));
  });
}

TEST(make_communicator, threads_of_a_rank_may_work_on_different_parents) {
  TestRanks job({4, 2});
  Contexts contexts;
  job.run([&](Rank& rank) {
    const Reference<Communicator> other_parent = duplicate(rank.world());
    const auto make_many = [&](Communicator& parent) {
      for (int i = 0; i < 50; ++i) {
        const Reference<Communicator> made = duplicate(parent);
        contexts.add(*made);
        EXPECT_EQ(allgather_inside(*made, rank.number()), parent.group->ranks);
      }
    };
    std::thread second([&] { TestRanks::run_as(rank, [&](Rank&) { make_many(*other_parent); }); });
    make_many(rank.world());
    second.join();
  });
  EXPECT_EQ(contexts.different(), 100u);
}

}  // namespace
}  // namespace taihu::mpi
