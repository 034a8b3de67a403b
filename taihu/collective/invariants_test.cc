// SPDX-License-Identifier: Apache-2.0
// The equations of groups and boards hold after much work, and a broken one is noticed; so is a step that is
// not taken in order.
#include <gtest/gtest.h>

#include "taihu/base/contract_for_tests.h"
#include "taihu/collective/board.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/membership.h"
#include "taihu/collective/pieces.h"
#include "taihu/collective/program_memory.h"
#include "taihu/collective/shared_step.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {
namespace {

class CollectiveInvariants : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  }
};

// 150 members count their arrivals. Roots run ahead of the others, so that slots are written again.
TEST_F(CollectiveInvariants, HoldAfterWork) {
  for (const int ranks : {1, 3, 150}) {
    TestJob job(Transport::messages, ranks, 1, 2);
    job.run([&](int rank) {
      GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
      std::vector<std::byte> buffer(3000);
      for (int call = 0; call < 100; ++call) {
        EXPECT_EQ(bcast(handle, buffer.data(), call % 5 == 0 ? buffer.size() : 8, call % ranks), M_SUCCESS);
        if (call % 20 == 0) {
          EXPECT_EQ(barrier(handle), M_SUCCESS);
        }
      }
      EXPECT_EQ(broken_by([&] { handle.board().check_member(handle.local_index()); }), "");
    });
  }
}

TEST_F(CollectiveInvariants, OfBoard) {
  threads::Doorbell bells[2];
  Board board({&bells[0], &bells[1]}, false);
  const auto step_of = [&](int member) -> StepNumber& { return board.own(member).step; };
  EXPECT_EQ(broken_in(board), "");
  for (int member = 0; member < 2; ++member) {
    ++step_of(member);
    board.arrive(member, 1, Form::nothing);
    board.depart(member, 1);
  }
  board.own(1).known_arrived = 1;
  EXPECT_EQ(broken_in(board), "");

  const StepNumber depth = 2 * board.half_depth();
  step_of(0) = depth;
  EXPECT_EQ(broken_in(board),
            "step that all have reached <= step < step that all have reached + depth - remembered steps");
  step_of(0) = 0;
  EXPECT_EQ(broken_in(board), "step of a slot == place of the slot (mod depth), <= step of its member");
  step_of(0) = 1;
  board.wish(0, Board::Wish::arrival_of_one, 1, 2);
  EXPECT_EQ(broken_in(board), "who does not wait has no wish");
  board.withdraw_wish(0);
  step_of(1) = board.own(1).known_arrived = 2;
  EXPECT_EQ(broken_in(board), "all have arrived at the step that all are known to have reached");
  step_of(1) = board.own(1).known_arrived = 1;
  board.own(0).used_lines = board.data_half_lines() + 1;
  EXPECT_EQ(broken_in(board), "lines used <= lines of half the ring");
  board.own(0).used_lines = 0;
  EXPECT_EQ(broken_in(board), "");
}

TEST_F(CollectiveInvariants, OfMembership) {
  const launch::Layout layout = launch::make_layout(4, {{"a", "", 1}, {"b", "", 1}}, {});
  const std::vector<int> ranks = {0, 3, 1};
  Membership membership = make_membership(layout, 0, ranks);
  EXPECT_EQ(broken_in(membership), "");
  EXPECT_FALSE(membership.consecutive);
  membership.consecutive = true;
  EXPECT_EQ(broken_in(membership), "consecutive == the members of all processes are 0, 1, 2, ...");
  membership.consecutive = false;
  membership.local_index[2] = 0;
  EXPECT_EQ(broken_in(membership), "members_of[process[m]][local_index[m]] == m");
  const std::vector<int> others = {2, 3};
  const Membership elsewhere = make_membership(layout, 0, others);
  EXPECT_EQ(elsewhere.here, -1);
}

TEST_F(CollectiveInvariants, OfASharedStep) {
  TestJob job(Transport::messages, 1, 1, 2);
  GroupHandle handle = job.groups_of(0).join(job.endpoint(0), launch::Scope::all);
  SharedStep step(handle, {Call::bcast, 0, 8, 0});
  const std::size_t most = handle.board().most_inline_bytes();
  EXPECT_EQ(broken_by([&] { step.place_with_length(most + 1); }),
            "bytes inline <= most inline bytes of the board");
  step.arrive();
  step.depart();
}

TEST_F(CollectiveInvariants, OfMemoryAndShares) {
  std::byte memory[8]{};
  PlainMemory plain(memory, memory, memory);
  schedule::Step step;
  step.action = schedule::Action::reduce;
  EXPECT_EQ(broken_by([&] { plain.run_local(step); }), "a program that combines has a reduction");
  EXPECT_EQ(broken_by([&] { (void)share_of(2, 2, 8, 8); }), "0 <= member < members, bytes of an element > 0");
}

using CollectiveInvariantsDeathTest = CollectiveInvariants;

TEST_F(CollectiveInvariantsDeathTest, StepsThatAreNotTakenInOrder) {
  threads::Doorbell bell;
  Board board({&bell}, false);
  EXPECT_DEATH(board.arrive(0, 2, Form::nothing), "a member arrives at the step that it has begun");
  EXPECT_DEATH(board.depart(0, 1), "a member departs from a step at which it has arrived");
  EXPECT_DEATH(board.slot(1, 1), "0 <= member < members of the board");
}

}  // namespace
}  // namespace taihu::collective
