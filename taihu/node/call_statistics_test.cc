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

RankCounts::Site site(std::uint64_t calls, std::uint64_t ns, std::uint64_t bytes, std::uint64_t longest_ns) {
  RankCounts::Site made;
  made.calls = calls;
  made.ns = ns;
  made.bytes = bytes;
  made.longest_ns = longest_ns;
  return made;
}

TEST(CallStatistics, PlacesComeBackFromText) {
  RankCounts counts;
  counts.sites[{"f<int, 2>(A const&) at a b.cc:7", "MPI_Send"}] = site(3, 30, 24, 20);
  counts.sites[{"f<int, 2>(A const&) at a b.cc:7", "MPI_Recv"}] = site(1, 5, 8, 5);
  const RankCounts back = counts_from_text(to_text(counts));
  ASSERT_EQ(back.sites.size(), 2U);
  const RankCounts::Site& send = back.sites.at({"f<int, 2>(A const&) at a b.cc:7", "MPI_Send"});
  EXPECT_EQ(send.calls, 3U);
  EXPECT_EQ(send.ns, 30U);
  EXPECT_EQ(send.bytes, 24U);
  EXPECT_EQ(send.longest_ns, 20U);
}

TEST(CallStatistics, PlacesTellLeastMeanAndMostOfTheRanksThatCameThere) {
  std::vector<RankCounts> ranks(3);
  EXPECT_EQ(tables_of(ranks, "MPI", "").find("place"), std::string::npos) << "no table without places";
  ranks[0].sites[{"main at p.c:5", "MPI_Recv"}] = site(2, 1'000'000, 500'000, 900'000);
  ranks[2].sites[{"main at p.c:5", "MPI_Recv"}] = site(1, 5'000'000, 500'000, 5'000'000);
  ranks[1].sites[{"main at p.c:9", "MPI_Send"}] = site(1, 7'000'000, 0, 7'000'000);
  const std::string text = tables_of(ranks, "MPI", "");
  const auto send = text.find("p.c:9"), receive = text.find("p.c:5");
  ASSERT_NE(receive, std::string::npos) << text;
  EXPECT_LT(send, receive) << "the most time comes first";
  EXPECT_NE(
      text.find(
          "     3      2          1.000     0.006000     0.005000     0.001000     0.003000     0.005000  "
          "main at p.c:5\n"),
      std::string::npos)
      << text;
}

TEST(CallStatistics, ThousandsOfPlacesMakeOneMoreLine) {
  std::vector<RankCounts> ranks(1);
  for (std::uint64_t k = 0; k < 5000; ++k)
    ranks[0].sites[{"f at p.c:" + std::to_string(k), "MPI_Send"}] = site(1, 1000 * (k + 1), 1000, 1);
  const std::string text = tables_of(ranks, "MPI", "");
  EXPECT_NE(text.find("p.c:4999\n"), std::string::npos) << "the longest is shown";
  EXPECT_EQ(text.find("p.c:0\n"), std::string::npos);
  EXPECT_NE(text.find("and 4940 more places: 4940 calls, 4.940 MB, 12.204270 s\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace taihu::node
