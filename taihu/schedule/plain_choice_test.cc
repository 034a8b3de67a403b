// SPDX-License-Identifier: Apache-2.0
// What is taken without a network: rings only where each member's part is long. That the forms are right is
// tested in collective_choice_test.cc.
#include "taihu/schedule/plain_choice.h"

#include <gtest/gtest.h>

#include <cstdint>
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
    const std::size_t part = (members == 100 ? std::size_t{16} : std::size_t{256}) << 10;
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

std::string background_name(Collective collective, int members, std::size_t bytes,
                            const LongBytes& lengths = {}) {
  return plain_form(collective, members, bytes, lengths, Progress::in_the_background).name;
}

TEST(PlainChoice, FewExchangeAllInOneRoundInTheBackground) {
  EXPECT_EQ(background_name(Collective::allgather, 7, 8), "all at once");
  EXPECT_EQ(background_name(Collective::allgather, 8, 2 << 10), "Bruck");
  EXPECT_EQ(background_name(Collective::allgather, 8, (2 << 10) + 1), "all at once");
  EXPECT_EQ(background_name(Collective::allgather, 32, 1 << 20), "all at once");
  EXPECT_EQ(background_name(Collective::bcast, 4, 1 << 20), "tree");
  EXPECT_EQ(background_name(Collective::bcast, 5, (64 << 10) - 1), "tree");
  EXPECT_EQ(background_name(Collective::bcast, 32, 64 << 10), "scatter and exchange");
  EXPECT_EQ(background_name(Collective::allreduce, 2, 1 << 20), "doubling");
  EXPECT_EQ(background_name(Collective::allreduce, 3, (16 << 10) - 1), "doubling");
  EXPECT_EQ(background_name(Collective::allreduce, 32, 64 << 20), "halving, near ranks first");
  EXPECT_EQ(background_name(Collective::reduce_scatter, 32, 8), "all at once");
}

TEST(PlainChoice, ManyChooseInTheBackgroundAsInCallsButRingsBeginLater) {
  for (const int members : {33, 40, 64, 200, 4096}) {
    for (const Collective collective :
         {Collective::bcast, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
      for (std::size_t bytes = 1; bytes <= std::size_t{4} << 30; bytes *= 2) {
        const std::string in_calls = name(collective, members, bytes);
        const std::string in_background = background_name(collective, members, bytes);
        if (in_calls.find("ring") == std::string::npos) {
          EXPECT_EQ(in_background, in_calls) << name_of(collective) << ", " << members << ", " << bytes;
        }
      }
    }
    EXPECT_EQ(background_name(Collective::allgather, members, (64 << 10) - 1), "halving distances");
    EXPECT_EQ(background_name(Collective::allgather, members, 64 << 10), "ring");
    const bool is_power = members == 64 || members == 4096;
    const std::size_t all = (std::size_t{is_power ? 256u : 64u} << 10) * static_cast<std::size_t>(members);
    EXPECT_EQ(background_name(Collective::allreduce, members, all - 1), "halving, near ranks first");
    EXPECT_EQ(background_name(Collective::allreduce, members, all), "ring");
    EXPECT_EQ(background_name(Collective::bcast, members, all - 1), "scatter and doubling, near ranks last");
  }
}

void check_ranges(Collective collective, int members, const LongBytes& lengths, Progress progress) {
  std::size_t bytes = 0;
  int ranges = 0;
  for (; ranges < 4; ++ranges) {
    const PlainRange range = plain_range(collective, members, bytes, lengths, progress);
    ASSERT_EQ(range.first, bytes) << name_of(collective) << ", " << members << " members";
    ASSERT_EQ(plain_range(collective, members, range.last, lengths, progress).form, range.form);
    if (range.last == PlainRange::no_end) break;
    bytes = range.last + 1;
    ASSERT_NE(plain_range(collective, members, bytes, lengths, progress).form, range.form);
  }
  EXPECT_LT(ranges, 3) << "three forms at most";
}

// Also for lengths as a user may give them: none, few bytes, and more than there are.
TEST(PlainChoice, RangesHoldTheLengthsThatTakeThem) {
  constexpr std::size_t most = static_cast<std::size_t>(INT64_MAX);
  for (const std::size_t length :
       {std::size_t{64} << 10, std::size_t{0}, std::size_t{1}, std::size_t{7}, most})
    for (const Progress progress : {Progress::in_the_call, Progress::in_the_background})
      for (const Collective collective :
           {Collective::bcast, Collective::allgather, Collective::allreduce, Collective::reduce_scatter})
        for (const int members : {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 40, 64, 4096})
          check_ranges(collective, members, {length, length, length}, progress);
}

}  // namespace
}  // namespace taihu::schedule
