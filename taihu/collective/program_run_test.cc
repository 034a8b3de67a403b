// SPDX-License-Identifier: Apache-2.0
// Programs of all members over messages: advanced bit by bit by one thread, and waited for by one each.
#include "taihu/collective/program_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "taihu/collective/choice.h"
#include "taihu/collective/fake_cluster.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {
namespace {

constexpr message::Context context = 77;

const Reduction sum_of_longs = *find_reduction(M_LONG, M_SUM);

// One member's program with its memory, whose units are longs.
struct Member {
  Member(message::Endpoint& endpoint, schedule::Program steps, std::size_t source_count,
         std::size_t result_count, int tag)
      : program(std::move(steps)),
        source(source_count),
        result(result_count, -1),
        scratch(program.scratch),
        memory(source.data(), result.data(), reinterpret_cast<std::byte*>(scratch.data()), &sum_of_longs),
        run(endpoint, context, tag) {}

  schedule::Program program;
  std::vector<long> source, result, scratch;
  PlainMemory memory;
  ProgramRun run;
};

using Members = std::vector<std::unique_ptr<Member>>;

void advance_to_end(const Members& members) {
  for (bool all_ended = false; !all_ended;) {
    all_ended = true;
    for (const auto& member : members) all_ended &= member->run.advance();
  }
}

class Counts : public testing::TestWithParam<int> {
 protected:
  const int n = GetParam();
};

TEST_P(Counts, AdvanceRunsProgramsAgainAndAgain) {
  constexpr std::size_t count = 40;
  for (const auto algorithm : {schedule::allreduce_recursive_doubling, schedule::allreduce_halving}) {
    FakeCluster cluster(n, 1);
    Members members;
    for (int me = 0; me < n; ++me) {
      members.push_back(
          std::make_unique<Member>(cluster.endpoint(me), algorithm({n, me}, count), count, count, 3));
    }
    for (long turn = 1; turn <= 3; ++turn) {
      for (int me = 0; me < n; ++me) {
        Member& member = *members[static_cast<std::size_t>(me)];
        std::iota(member.source.begin(), member.source.end(), me * turn);
        member.run.start(member.program, member.memory);
      }
      advance_to_end(members);
      for (const auto& member : members) {
        ASSERT_EQ(member->run.trouble(), Trouble::none);
        for (std::size_t k = 0; k < count; ++k) {
          ASSERT_EQ(member->result[k], n * static_cast<long>(k) + turn * n * (n - 1) / 2);
        }
      }
    }
  }
}

TEST_P(Counts, ProgramsOfDifferentTagsGoOnTogether) {
  FakeCluster cluster(n, 1);
  Members members;
  for (int tag = 0; tag < 2; ++tag) {
    for (int me = 0; me < n; ++me) {
      members.push_back(std::make_unique<Member>(
          cluster.endpoint(me), among_all::bcast({{n, me}}, 8, sizeof(long), tag % n, true), 0, 8, tag));
      if (me == tag % n) std::iota(members.back()->result.begin(), members.back()->result.end(), 100 * tag);
    }
  }
  // The members start the two in different orders.
  for (int me = 0; me < n; ++me) {
    for (int tag = 0; tag < 2; ++tag) {
      Member& member = *members[static_cast<std::size_t>((me % 2 == 0 ? tag : 1 - tag) * n + me)];
      member.run.start(member.program, member.memory);
      member.run.advance();
    }
  }
  advance_to_end(members);
  for (std::size_t k = 0; k < members.size(); ++k) {
    EXPECT_EQ(members[k]->result.front(), k < static_cast<std::size_t>(n) ? 0 : 100);
  }
}

TEST_P(Counts, WaitEndsOnThreads) {
  TestJob job(Transport::messages, n, n > 3 ? 2 : 1, 2);
  job.run([&](int rank) {
    Member member(job.endpoint(rank), schedule::exscan_recursive_doubling({n, rank}, 5), 5, 5, 0);
    std::iota(member.source.begin(), member.source.end(), rank);
    member.run.start(member.program, member.memory);
    member.run.wait();
    EXPECT_EQ(member.run.trouble(), Trouble::none);
    for (long k = 0; rank > 0 && k < 5; ++k) {
      EXPECT_EQ(member.result[static_cast<std::size_t>(k)], rank * k + rank * (rank - 1) / 2);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, Counts, testing::Values(1, 2, 3, 5, 8));

TEST(ProgramRun, WhoHasTroubleSendsEmptyMessages) {
  // A chain of four; the second member expects more than the first one sends.
  FakeCluster cluster(4, 1);
  Members members;
  for (int me = 0; me < 4; ++me) {
    schedule::Program program;
    const std::size_t count = me == 0 ? 2 : 3;
    if (me > 0) program.receive(0, me - 1, schedule::Buffer::result, 0, count);
    if (me < 3) program.send(1, me + 1, schedule::Buffer::result, 0, count);
    members.push_back(std::make_unique<Member>(cluster.endpoint(me), program, 0, 3, 0));
  }
  for (const auto& member : members) member->run.start(member->program, member->memory);
  advance_to_end(members);
  EXPECT_EQ(members[0]->run.trouble(), Trouble::none);
  for (std::size_t me = 1; me < 4; ++me) EXPECT_EQ(members[me]->run.trouble(), Trouble::short_message);
  EXPECT_EQ(members[2]->result.front(), -1) << "what arrived broken is not passed on";
}

TEST(ProgramRun, LongerMessagesAreTruncated) {
  FakeCluster cluster(2, 1);
  Members members;
  for (int me = 0; me < 2; ++me) {
    schedule::Program program;
    if (me == 0) program.send(0, 1, schedule::Buffer::result, 0, 3);
    if (me == 1) program.receive(0, 0, schedule::Buffer::result, 0, 2);
    members.push_back(std::make_unique<Member>(cluster.endpoint(me), program, 0, 3, 0));
  }
  for (const auto& member : members) member->run.start(member->program, member->memory);
  advance_to_end(members);
  EXPECT_EQ(members[1]->run.trouble(), Trouble::truncated);
  EXPECT_EQ(members[1]->result[2], -1);
}

}  // namespace
}  // namespace taihu::collective
