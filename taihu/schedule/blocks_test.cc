// SPDX-License-Identifier: Apache-2.0
// Where blocks are cut, and what callers must give.
#include "taihu/schedule/blocks.h"

#include <gtest/gtest.h>

#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/between_groups.h"
#include "taihu/schedule/simulate.h"

namespace taihu::schedule {
namespace {

TEST(Blocks, SplitAtMultiplesOfTheGranule) {
  const Blocks blocks = split_blocks(3, 40, 8);
  EXPECT_EQ(blocks.starts, (std::vector<std::size_t>{0, 16, 32, 40}));
  EXPECT_EQ(split_blocks(3, 44, 8).starts, (std::vector<std::size_t>{0, 16, 32, 44}));
  EXPECT_EQ(split_blocks(3, 0, 8).starts, (std::vector<std::size_t>{0, 0, 0, 0}));
}

TEST(Contracts, MembersRootsAndBlocksThatDoNotExist) {
  if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  const ContractTrap trap;
  EXPECT_THROW(bcast_binomial({4, 0}, 8, 4), ContractBroken);
  EXPECT_THROW(bcast_binomial({4, 4}, 8, 0), ContractBroken);
  EXPECT_THROW(barrier({1, -1}), ContractBroken);
  EXPECT_THROW(allgather_ring({4, 0}, equal_blocks(3, 8)), ContractBroken);
  EXPECT_THROW(split_blocks(2, 9, 0), ContractBroken);
  EXPECT_THROW(allgather_direct({4, 4}, equal_blocks(4, 8)), ContractBroken);
  EXPECT_THROW(alltoall_bruck({4, -1}, 8), ContractBroken);
  EXPECT_THROW(staged_bcast({4, 0}, {}, 8, 4), ContractBroken);
  EXPECT_THROW(reduce_scatter_direct({2, 2}, equal_blocks(2, 8)), ContractBroken);
  EXPECT_THROW(barrier_between({2, 0, 0}), ContractBroken);
  EXPECT_THROW(bcast_between({2, 2, 5}, 8, Side::others, 0, {}), ContractBroken);
  EXPECT_THROW(reduce_scatter_between({2, 2, 0}, equal_blocks(3, 8), {}), ContractBroken);
  std::vector<MemberMemory> memory(1);
  EXPECT_THROW(simulate({}, memory, {}), ContractBroken);
  Program program;
  program.signal(1, 0);
  EXPECT_THROW(program.signal(0, 0), ContractBroken);
  EXPECT_THROW(program.signal(1, -1), ContractBroken);
}

}  // namespace
}  // namespace taihu::schedule
