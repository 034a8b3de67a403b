// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>

#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

void expect_clean_traffic(int processes, int ranks, int messages, const std::vector<std::size_t>& sizes,
                          std::uint64_t seed) {
  JobForTests job(processes, ranks);
  std::mutex lock;
  job.run([&](Endpoint& endpoint) {
    const std::string problem = TrafficRank(endpoint, {seed, ranks, messages, sizes}).run();
    std::lock_guard hold(lock);
    EXPECT_EQ(problem, "") << processes << " processes, " << ranks << " ranks, seed " << seed;
  });
}

const std::vector<std::size_t> short_sizes{0, 1, 7, 8, 40, 41, 63, 64, 65, 512, 1023, 1024, 1025};
const std::vector<std::size_t> mixed_sizes{0, 8, 64, 1000, 1025, 16383, 16384, 16385, 65537};
const std::vector<std::size_t> huge_sizes{1, 3 << 20};

TEST(Traffic, ShortMessagesKeepMpiRules) {
  for (const int ranks : {1, 2, 3, 7}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_clean_traffic(1, ranks, 600, short_sizes, seed);
  }
}

TEST(Traffic, LongAndShortMessagesKeepMpiRules) {
  for (const int ranks : {1, 2, 3, 7}) expect_clean_traffic(1, ranks, 150, mixed_sizes, 11);
}

TEST(Traffic, HugeMessagesKeepMpiRules) {
  expect_clean_traffic(1, 2, 6, huge_sizes, 3);
}

TEST(Traffic, ManyMoreRanksThanCores) {
  expect_clean_traffic(1, 32, 200, short_sizes, 5);
}

TEST(Traffic, MoreRanksThanOneWordOfTheBitmap) {
  expect_clean_traffic(1, 130, 20, short_sizes, 6);
}

TEST(Traffic, BetweenNodeProcesses) {
  for (const int processes : {2, 3}) {
    expect_clean_traffic(processes, processes, 200, mixed_sizes, 21);
    expect_clean_traffic(processes, 7, 150, mixed_sizes, 22);
  }
}

TEST(Traffic, HugeMessagesBetweenNodeProcesses) {
  expect_clean_traffic(2, 3, 4, huge_sizes, 23);
}

}  // namespace
}  // namespace taihu::message
