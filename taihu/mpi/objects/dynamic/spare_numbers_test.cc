// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/dynamic/spare_numbers.h"

#include <gtest/gtest.h>

namespace taihu::mpi {
namespace {

using Ended = SpareNumbers::Ended;

TEST(spare_numbers, are_taken_from_the_lowest_on) {
  SpareNumbers numbers(10, 5);
  EXPECT_EQ(numbers.take(2, {}), 10);
  EXPECT_EQ(numbers.take(1, {}), 12);
  EXPECT_EQ(numbers.free(), 2);
  EXPECT_EQ(numbers.take(3, {}), std::nullopt);
  EXPECT_EQ(numbers.take(2, {}), 13);
  EXPECT_EQ(numbers.free(), 0);
  EXPECT_TRUE(numbers.ended().empty());
}

TEST(spare_numbers, of_ended_ranks_are_free_again_when_nobody_names_them) {
  SpareNumbers numbers(10, 3);
  ASSERT_EQ(numbers.take(3, {}), 10);
  for (const int rank : {10, 11, 12}) numbers.end(rank);
  EXPECT_EQ(numbers.ended(), (std::vector<Ended>{{10, 1}, {11, 1}, {12, 1}}));
  EXPECT_EQ(numbers.take(1, {}), std::nullopt) << "somebody names all of them";
  EXPECT_EQ(numbers.take(2, {{10, 1}, {12, 1}}), std::nullopt) << "they do not follow each other";
  EXPECT_EQ(numbers.take(2, {{11, 1}, {12, 1}}), 11);
  EXPECT_TRUE(numbers.is_taken(12));
  EXPECT_FALSE(numbers.is_taken(10));
  EXPECT_FALSE(numbers.is_taken(9));
  EXPECT_FALSE(numbers.is_taken(13));
}

TEST(spare_numbers, what_was_asked_about_an_earlier_rank_does_not_count) {
  SpareNumbers numbers(10, 1);
  ASSERT_EQ(numbers.take(1, {}), 10);
  numbers.end(10);
  const std::vector<Ended> asked = numbers.ended();
  ASSERT_EQ(numbers.take(1, {asked.begin(), asked.end()}), 10);
  numbers.end(10);
  EXPECT_EQ(numbers.take(1, {asked.begin(), asked.end()}), std::nullopt);
  EXPECT_EQ(numbers.take(1, {{10, 2}}), 10);
}

TEST(spare_numbers, that_were_not_used_are_as_before) {
  SpareNumbers numbers(10, 3);
  ASSERT_EQ(numbers.take(3, {}), 10);
  numbers.put_back(11, 2);
  EXPECT_TRUE(numbers.ended().empty());
  EXPECT_EQ(numbers.take(2, {}), 11);
}

}  // namespace
}  // namespace taihu::mpi
