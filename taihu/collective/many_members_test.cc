// SPDX-License-Identifier: Apache-2.0
// Hundreds of members in a group: ways to meet, sums, members that do not fit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "taihu/collective/arrival_count.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/collectives_fixture.h"

namespace taihu::collective {
namespace {

// Enough members for a board that counts arrivals: all forms of waiting, with members that come late and
// roots that run ahead.
TEST(ManyMembers, MeetInAllWays) {
  constexpr int members = 140;
  for (const int cores : {1, 1024}) {
    wait_briefly();
    TestJob job(Transport::messages, members, 1, cores);
    job.run([&](int rank) {
      GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
      const int me = handle.rank();
      std::vector<int> block(1500), all(1500 * members);
      for (int round = 0; round < 12; ++round) {
        if ((me + round) % 29 == 0) usleep(200);
        int value = me == round ? 1000 + round : -1;
        for (int k = 0; k < 5; ++k) ASSERT_EQ(bcast(handle, &value, sizeof value, round), M_SUCCESS);
        ASSERT_EQ(value, 1000 + round);
        int sum = 0;
        ASSERT_EQ(allreduce(handle, &me, &sum, 1, M_INT, M_SUM), M_SUCCESS);
        ASSERT_EQ(sum, members * (members - 1) / 2);
        const std::size_t count = round % 4 == 3 ? 1500 : 3;  // long ones are read from the members' buffers
        std::fill(block.begin(), block.end(), me);
        ASSERT_EQ(allgather(handle, block.data(), all.data(), count * sizeof(int)), M_SUCCESS);
        for (int k = 0; k < members; ++k) ASSERT_EQ(all[static_cast<std::size_t>(k) * count], k);
        ASSERT_EQ(gather(handle, block.data(), all.data(), count * sizeof(int), round), M_SUCCESS);
        ASSERT_EQ(barrier(handle), M_SUCCESS);
      }
      // A mismatch is told, and the group works on.
      const int two[2] = {me, me};
      EXPECT_EQ(allreduce(handle, two, block.data(), me == 77 ? 2 : 1, M_INT, M_SUM), M_ERROR_TRUNCATE);
      EXPECT_EQ(barrier(handle), M_SUCCESS);
      end_program_on_failure();
    });
  }
}

// So many members share few cores that one combines for all.
TEST(ManyMembers, GetTheSameSumWhateverTheLength) {
  constexpr int members = 260;
  TestJob job(Transport::twin, members, 1, 2);
  job.run([&](int rank) {
    wait_briefly();
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    for (const std::size_t count : {0u, 1u, 7u, 3000u}) {
      std::vector<double> mine(count, 0.1 * rank), sums(count, -1), in_place = mine;
      const auto words = static_cast<long>(count);
      ASSERT_EQ(allreduce(handle, mine.data(), sums.data(), words, M_DOUBLE, M_SUM), M_SUCCESS);
      double expected = 0.1 * (members - 1);  // from the last member to the first
      for (int k = members - 2; k >= 0; --k) expected = 0.1 * k + expected;
      for (const double sum : sums) ASSERT_EQ(sum, expected);
      ASSERT_EQ(allreduce(handle, in_place.data(), in_place.data(), words, M_DOUBLE, M_SUM), M_SUCCESS);
      ASSERT_EQ(in_place, sums);
    }
    end_program_on_failure();
  });
}

TEST(ManyMembers, AreToldOfOneThatPassesAnotherLength) {
  constexpr int members = 260;
  TestJob job(Transport::twin, members, 1, 2);
  std::atomic<int> told{0};
  job.run([&](int rank) {
    wait_briefly();
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    for (const int odd : {0, members - 1}) {
      for (const std::size_t other : {0u, 2u, 3000u}) {
        std::vector<int> mine(3000, 1), sums(3000);
        const auto count = rank == odd ? static_cast<long>(other) : 1L;
        const int code = allreduce(handle, mine.data(), sums.data(), count, M_INT, M_SUM);
        EXPECT_TRUE(code == M_SUCCESS || code == M_ERROR_TRUNCATE) << code << ": " << handle.problem();
        if (code != M_SUCCESS) ++told;
        int sum = 0;
        allreduce(handle, mine.data(), &sum, 1, M_INT, M_SUM);  // who waited for nobody may learn of it now
        EXPECT_EQ(allreduce(handle, mine.data(), &sum, 1, M_INT, M_SUM), M_SUCCESS) << handle.problem();
        EXPECT_EQ(sum, members);
        end_program_on_failure();
      }
    }
  });
  EXPECT_GE(told.load(), 6);
}

TEST(ArrivalCount, TellsTheLastOneAndWhetherAllCameAlike) {
  for (const int members : {1, 16, 17, 300, 4097}) {
    ArrivalCount count(static_cast<std::size_t>(members), 16);
    for (std::uint64_t step = 1; step < 40; ++step) {
      for (int k = 0; k < members; ++k) {
        const int member = (k * 7 + static_cast<int>(step)) % members;
        const std::uint32_t digest = step % 5 == 0 && member == members / 2 ? 8 : 7;
        ASSERT_FALSE(count.is_complete(step));
        ASSERT_EQ(count.arrive(member, step, digest), k == members - 1);
      }
      ASSERT_TRUE(count.is_complete(step));
      ASSERT_EQ(count.all_came_with(step, 7), step % 5 != 0);
    }
  }
}

}  // namespace
}  // namespace taihu::collective
