// SPDX-License-Identifier: Apache-2.0
// What is taken without a network: rings only where each member's part is long. That the forms are right is
// tested in collective_choice_test.cc.
#include "taihu/schedule/plain_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace taihu::schedule {
namespace {

std::string name(Collective collective, int members, std::size_t bytes, const LongBytes& lengths = {}) {
  return plain_form(collective, members, bytes, lengths).name;
}

TEST(PlainChoice, LengthsDecideAmongFewMembers) {
  LongBytes lengths;
  lengths.allreduce = 1000;
  for (const int members : {2, 3, 4}) {
    EXPECT_EQ(name(Collective::allreduce, members, 999, lengths), "doubling");
    EXPECT_EQ(name(Collective::allreduce, members, 1000, lengths), "ring");
  }
  EXPECT_EQ(name(Collective::allgather, 4, 16 << 10), "ring");
  EXPECT_EQ(name(Collective::allgather, 4, (16 << 10) - 1), "Bruck");
  EXPECT_EQ(name(Collective::allgather, 3, 30000), "ring");
  EXPECT_EQ(name(Collective::bcast, 4, 64 << 10), "scatter and ring");
  EXPECT_EQ(name(Collective::bcast, 4, (64 << 10) - 1), "tree");
  EXPECT_EQ(name(Collective::bcast, 2, 64 << 20), "tree");
  EXPECT_EQ(name(Collective::reduce_scatter, 4, 8), "all at once");
}

TEST(PlainChoice, RingsWaitForLongPartsOfManyMembers) {
  for (const int members : {8, 16, 100, 1024, 4096}) {
    const std::size_t part = std::size_t{members == 100 ? 16 : 256} << 10;
    const std::size_t ring = part * static_cast<std::size_t>(members);
    EXPECT_EQ(name(Collective::allreduce, members, ring), "ring") << members;
    EXPECT_EQ(name(Collective::allreduce, members, ring - 1), "halving, near ranks first") << members;
    EXPECT_EQ(name(Collective::bcast, members, ring), "scatter and ring") << members;
    EXPECT_EQ(name(Collective::bcast, members, ring - 1), "scatter and doubling, near ranks last") << members;
    EXPECT_EQ(name(Collective::allgather, members, 16 << 10), "ring") << members;
    EXPECT_EQ(name(Collective::allgather, members, (16 << 10) - 1), "halving distances") << members;
  }
}

TEST(PlainChoice, ManyMembersDivideShorterBuffers) {
  EXPECT_EQ(name(Collective::allreduce, 15, 65535), "doubling");
  EXPECT_EQ(name(Collective::allreduce, 16, 16 << 10), "halving, near ranks first");
  EXPECT_EQ(name(Collective::allreduce, 16, (16 << 10) - 1), "doubling");
  EXPECT_EQ(name(Collective::bcast, 1024, (16 << 10) - 1), "tree");
  EXPECT_EQ(name(Collective::allgather, 1024, 63), "Bruck");
  EXPECT_EQ(name(Collective::allgather, 1024, 64), "halving distances");
  EXPECT_EQ(name(Collective::reduce_scatter, 16, 2047), "halving, near ranks first");
  EXPECT_EQ(name(Collective::reduce_scatter, 16, 2048), "all at once");
}

TEST(PlainChoice, RangesHoldTheLengthsThatTakeThem) {
  for (const Collective collective :
       {Collective::bcast, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
    for (const int members : {1, 2, 3, 4, 5, 15, 16, 17, 4096}) {
      std::size_t bytes = 0;
      int ranges = 0;
      for (; ranges < 4; ++ranges) {
        const PlainRange range = plain_range(collective, members, bytes);
        ASSERT_EQ(range.first, bytes) << name_of(collective) << ", " << members << " members";
        ASSERT_EQ(plain_range(collective, members, range.last).form, range.form);
        if (range.last == PlainRange::no_end) break;
        bytes = range.last + 1;
        ASSERT_NE(plain_range(collective, members, bytes).form, range.form);
      }
      EXPECT_LT(ranges, 3) << "three forms at most";
    }
  }
}

}  // namespace
}  // namespace taihu::schedule
