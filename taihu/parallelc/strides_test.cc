// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/strides.h"

#include <gtest/gtest.h>

#include <string_view>

namespace taihu::parallelc {
namespace {

TEST(Strides, BlocksThatDoNotOverlapAreAllowed) {
  EXPECT_EQ(problem_of_blocks(0, 0, 0, 0), nullptr);
  EXPECT_EQ(problem_of_blocks(8, 8, 0, -5), nullptr) << "strides say nothing about one block";
  EXPECT_EQ(problem_of_blocks(1, 8, 0, 0), nullptr);
  EXPECT_EQ(problem_of_blocks(9, 8, 8, 8), nullptr);
  EXPECT_EQ(problem_of_blocks(17, 8, 8, 1L << 40), nullptr);
}

TEST(Strides, ProblemsNameTheArgument) {
  EXPECT_STREQ(problem_of_blocks(-1, 8, 8, 8), "negative size");
  EXPECT_STREQ(problem_of_blocks(1, 0, 8, 8), "block is not above 0");
  EXPECT_STREQ(problem_of_blocks(1, -1, 8, 8), "block is not above 0");
  EXPECT_TRUE(std::string_view(problem_of_blocks(9, 8, 7, 8)).starts_with("source_stride is smaller"));
  EXPECT_TRUE(std::string_view(problem_of_blocks(9, 8, 8, 7)).starts_with("dest_stride is smaller"));
  EXPECT_TRUE(std::string_view(problem_of_blocks(9, 8, 7, 7)).starts_with("stride is smaller"));
  EXPECT_STREQ(problem_of_blocks(LONG_MAX, 1, LONG_MAX, 1), "the blocks reach beyond any memory");
  EXPECT_STREQ(problem_of_blocks(LONG_MAX, LONG_MAX / 2, LONG_MAX, LONG_MAX),
               "the blocks reach beyond any memory");
}

TEST(Strides, OneBlockHasThatOfItsBytes) {
  const Blocks none = blocks_of(0, 0, 0), one = blocks_of(5, 8, -1), several = blocks_of(9, 8, 12);
  EXPECT_EQ(none.block, 1U);
  EXPECT_EQ(none.stride, 1U);
  EXPECT_EQ(one.block, 5U);
  EXPECT_EQ(one.stride, 5U);
  EXPECT_EQ(several.block, 8U);
  EXPECT_EQ(several.stride, 12U);
}

}  // namespace
}  // namespace taihu::parallelc
