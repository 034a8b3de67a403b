// SPDX-License-Identifier: Apache-2.0
// The proof reader finds the faults that it is there to find.
#include "taihu/schedule/simulate.h"

#include <gtest/gtest.h>

namespace taihu::schedule {
namespace {

void no_operation(std::byte*, const std::byte*, std::size_t) {}

std::string problem(const std::vector<Program>& programs) {
  std::vector<MemberMemory> memory(programs.size());
  for (MemberMemory& member : memory) {
    member.source.resize(8);
    member.result.resize(8);
  }
  return simulate(programs, memory, no_operation).problem;
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
}

TEST(Simulate, FindsDeadlockOfSendsInLaterRoundsThanTheirReceives) {
  std::vector<Program> programs(2);
  for (int me = 0; me < 2; ++me) {
    programs[static_cast<std::size_t>(me)].send(0, 1 - me, Buffer::result, 0, 4);
    programs[static_cast<std::size_t>(me)].receive(1, 1 - me, Buffer::result, 4, 4);
  }
  EXPECT_TRUE(contains(problem(programs), "waits for ever"));
}

TEST(Simulate, FindsLengthsThatDiffer) {
  std::vector<Program> programs(2);
  programs[0].send(0, 1, Buffer::source, 0, 4);
  programs[1].receive(0, 0, Buffer::result, 0, 5);
  EXPECT_TRUE(contains(problem(programs), "another length"));
}

TEST(Simulate, FindsReceiveWithoutSend) {
  std::vector<Program> programs(2);
  programs[1].receive(0, 0, Buffer::result, 0, 5);
  EXPECT_TRUE(contains(problem(programs), "member 1 waits for ever"));
}

TEST(Simulate, FindsRangesOutsideTheBuffers) {
  std::vector<Program> programs(1);
  programs[0].copy(0, Buffer::result, 5, Buffer::source, 0, 4);
  EXPECT_TRUE(contains(problem(programs), "outside a buffer"));
}

TEST(Simulate, FindsWritesToTheSource) {
  std::vector<Program> programs(1);
  programs[0].copy(0, Buffer::source, 0, Buffer::result, 0, 4);
  EXPECT_TRUE(contains(problem(programs), "writes to its source"));
}

TEST(Simulate, FindsReceivesOverBytesThatAreBeingSent) {
  std::vector<Program> programs(2);
  for (int me = 0; me < 2; ++me) {
    programs[static_cast<std::size_t>(me)].send(0, 1 - me, Buffer::result, 0, 4);
    programs[static_cast<std::size_t>(me)].receive(0, 1 - me, Buffer::result, 3, 4);
  }
  EXPECT_TRUE(contains(problem(programs), "another transfer of the same round"));
}

TEST(Simulate, FindsOperandsThatOverlap) {
  std::vector<Program> programs(1);
  programs[0].reduce(0, Buffer::result, 0, Buffer::result, 3, 4);
  EXPECT_TRUE(contains(problem(programs), "overlap"));
}

TEST(Simulate, FindsWorkThatNobodyDoes) {
  std::vector<Program> programs(1);
  programs[0].work(0);
  EXPECT_TRUE(contains(problem(programs), "nobody does"));
}

TEST(Program, TakesAnotherOneAsAPart) {
  Program part;
  part.receive(0, 1, Buffer::scratch, 1, 4);
  part.copy(2, Buffer::result, 0, Buffer::scratch, 1, 4);
  part.scratch = 5;
  Program program;
  program.copy(3, Buffer::scratch, 0, Buffer::source, 0, 8);
  program.append(part, {.result = Buffer::source, .result_offset = 7, .scratch_offset = 10});
  program.name_peers(std::vector<int>{20, 21});
  ASSERT_EQ(program.steps.size(), 3u);
  EXPECT_EQ(program.scratch, 15u);
  EXPECT_EQ(program.steps[1].peer, 21);
  EXPECT_EQ(program.steps[1].offset, 11u);
  EXPECT_EQ(program.steps[1].round, 4);
  EXPECT_EQ(program.steps[2].buffer, Buffer::source);
  EXPECT_EQ(program.steps[2].offset, 7u);
  EXPECT_EQ(program.steps[2].operand_offset, 11u);
  EXPECT_EQ(program.next_round(), 7);
}

TEST(Simulate, FindsRoundsThatFall) {
  std::vector<Program> programs(1);
  programs[0].copy(1, Buffer::result, 0, Buffer::source, 0, 4);
  programs[0].steps.push_back(programs[0].steps[0]);  // copy() itself refuses it where contracts are checked
  programs[0].steps.back().round = 0;
  EXPECT_TRUE(contains(problem(programs), "earlier round"));
}

}  // namespace
}  // namespace taihu::schedule
