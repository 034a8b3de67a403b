// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/waiting.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace taihu::threads {
namespace {

struct PolicyForTest {
  explicit PolicyForTest(WaitPolicy policy) : before(wait_policy()) { set_wait_policy(policy); }
  ~PolicyForTest() { set_wait_policy(before); }
  WaitPolicy before;
};

TEST(WaitPolicy, IsWhatWasSet) {
  PolicyForTest policy({7, 3});
  EXPECT_EQ(wait_policy().spins, 7);
  EXPECT_EQ(wait_policy().yields, 3);
}

TEST(Doorbell, ReturnsAtOnceWhenReady) {
  Doorbell bell;
  int asked = 0;
  bell.wait([&] { return ++asked == 1; });
  EXPECT_EQ(asked, 1);
}

// Two threads hand a token to and fro; a single lost wake-up hangs the test (its time limit reports it).
void hand_over(int rounds) {
  Doorbell bells[2];
  std::atomic<int> turn{0};
  auto player = [&](int me) {
    for (int i = 0; i < rounds; ++i) {
      bells[me].wait([&] { return turn.load(std::memory_order_acquire) == me; });
      turn.store(1 - me, std::memory_order_release);
      bells[1 - me].ring();
    }
  };
  std::thread other(player, 1);
  player(0);
  other.join();
  EXPECT_EQ(turn.load(), 0);
}

TEST(Doorbell, NeverLosesAWakeUpWhenEveryWaitSleeps) {
  PolicyForTest policy({0, 0});
  hand_over(20000);
}

TEST(Doorbell, NeverLosesAWakeUpAtTheEdgeOfSleeping) {
  for (int spins = 1; spins < 40; spins += 3) {
    PolicyForTest policy({spins, spins % 3});
    hand_over(1000);
  }
}

TEST(Doorbell, WakesAllSleepers) {
  PolicyForTest policy({0, 0});
  Doorbell bell;
  std::atomic<bool> go{false};
  std::atomic<int> out{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 16; ++i) {
    sleepers.emplace_back([&] {
      bell.wait([&] { return go.load(std::memory_order_acquire); });
      out.fetch_add(1);
    });
  }
  usleep(20000);
  EXPECT_EQ(out.load(), 0);
  go.store(true, std::memory_order_release);
  bell.ring();
  for (auto& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(out.load(), 16);
}

TEST(Doorbell, ASleeperUsesNoProcessorTime) {
  PolicyForTest policy({100, 10});
  Doorbell bell;
  std::atomic<bool> go{false};
  double used_seconds = 1;
  std::thread sleeper([&] {
    bell.wait([&] { return go.load(std::memory_order_acquire); });
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    used_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  });
  usleep(300000);
  go.store(true, std::memory_order_release);
  bell.ring();
  sleeper.join();
  EXPECT_LT(used_seconds, 0.1);
}

}  // namespace
}  // namespace taihu::threads
