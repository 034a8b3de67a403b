// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/call_statistics.h"

#include <gtest/gtest.h>

#include <memory>

namespace taihu::node {
namespace {

TEST(CallStatistics, CountsOfThreadsComeBackFromText) {
  static const char first[] = "m_send", second[] = "m_barrier";
  auto one = std::make_unique<CallTimes>(), other = std::make_unique<CallTimes>();
  one->add(first, 10, 100);
  one->add(first, 5, 1);
  one->add_message(true, 100);
  other->add(first, 1);
  other->add(second, 7);
  other->add_message(false, 8);
  RankCounts counts;
  counts.add(*one);
  counts.add(*other);
  const RankCounts back = counts_from_text(to_text(counts) + "kernel is another language's line\n");
  ASSERT_EQ(back.calls.size(), 2U);
  EXPECT_EQ(back.calls.at("m_send").calls, 3U);
  EXPECT_EQ(back.calls.at("m_send").ns, 16U);
  EXPECT_EQ(back.calls.at("m_send").bytes, 101U);
  EXPECT_EQ(back.calls.at("m_barrier").ns, 7U);
  EXPECT_EQ(back.messages[0], 1U);
  EXPECT_EQ(back.bytes[1], 8U);
}

TEST(CallStatistics, MoreNamesThanPlacesLoseOnlyTheNewOnes) {
  static char names[CallTimes::names + 8][8];
  auto times = std::make_unique<CallTimes>();
  for (auto& name : names) {
    name[0] = 'x';
    times->add(name, 1);
  }
  times->add(names[0], 1);
  std::uint64_t calls = 0;
  for (const CallTime& time : times->times) calls += time.calls;
  EXPECT_EQ(calls, static_cast<std::uint64_t>(CallTimes::names) + 1);
}

TEST(CallStatistics, TablesNameTheSlowestRank) {
  std::vector<RankCounts> ranks(2);
  ranks[0].calls["MPI_Recv"] = {2, 1'000'000, 0};
  ranks[1].calls["MPI_Recv"] = {1, 5'000'000, 0};
  const std::string text = tables_of(ranks, "MPI", "Open MPI");
  EXPECT_NE(text.find("MPI statistics of 2 ranks\nmessages outside go by Open MPI\n"), std::string::npos);
  EXPECT_NE(text.find("3     0.006000         0.005000          1\n"), std::string::npos) << text;
  ranks[0].calls["MPI_Recv"].bytes = 2'000'000;
  EXPECT_NE(tables_of(ranks, "MPI", "").find("1          2.000\n"), std::string::npos);
}

}  // namespace
}  // namespace taihu::node
