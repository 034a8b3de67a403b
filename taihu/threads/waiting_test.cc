// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/waiting.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
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

TEST(SpinFor, LooksOnceWithoutTime) {
  int looks = 0;
  EXPECT_FALSE(spin_for(0, [&] { return ++looks > 1; }));
  EXPECT_EQ(looks, 1);
  EXPECT_TRUE(spin_for(0, [] { return true; }));
}

TEST(SpinFor, EndsWithTheConditionOrTheTime) {
  int looks = 0;
  EXPECT_TRUE(spin_for(std::int64_t{1} << 60, [&] { return ++looks == 1000; }));
  EXPECT_EQ(looks, 1000);
  const std::int64_t begin = now_ns();
  EXPECT_FALSE(spin_for(100'000, [] { return false; }));
  EXPECT_GE(now_ns() - begin, 100'000);
}

TEST(Doorbell, WaitAsleepSleepsAtOnceAndLosesNoWakeUp) {
  constexpr int rounds = 2000;
  for (const bool gathers : {false, true}) {
    Doorbell there, back;
    std::atomic<int> asked{0}, answered{0};
    std::thread answering([&] {
      for (int round = 1; round <= rounds; ++round) {
        there.wait_asleep([&] { return asked.load(std::memory_order_acquire) >= round; }, gathers);
        answered.store(round, std::memory_order_release);
        back.ring();
      }
    });
    for (int round = 1; round <= rounds; ++round) {
      asked.store(round, std::memory_order_release);
      there.ring();
      back.wait_asleep([&] { return answered.load(std::memory_order_acquire) >= round; }, gathers);
      EXPECT_EQ(answered.load(), round);
    }
    answering.join();
  }
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
    PolicyForTest policy({spins, static_cast<std::int16_t>(spins % 3)});
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

TEST(Doorbell, OnASharedPillowWakesOnlyItsOwnSleepers) {
  PolicyForTest policy({0, 0, true});
  Pillow pillow;
  Doorbell bells[2] = {{pillow, 0}, {pillow, 31}};
  std::atomic<bool> go[2] = {false, false};
  std::atomic<int> out[2] = {0, 0};
  std::atomic<int> looks[2] = {0, 0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 8; ++i) {
    const int side = i % 2;
    sleepers.emplace_back([&, side] {
      bells[side].wait([&] {
        looks[side].fetch_add(1);
        return go[side].load(std::memory_order_acquire);
      });
      out[side].fetch_add(1);
    });
  }
  usleep(50000);
  const int looks_before = looks[1];
  for (int i = 0; i < 100; ++i) bells[0].ring();
  go[0].store(true, std::memory_order_release);
  bells[0].ring();
  while (out[0] != 4) usleep(1000);
  EXPECT_EQ(out[1], 0);
  EXPECT_LT(looks[1] - looks_before, 50) << "waking all would let each look a hundred times";
  go[1].store(true, std::memory_order_release);
  bells[1].ring();
  for (auto& sleeper : sleepers) sleeper.join();
  EXPECT_EQ(out[1], 4);
}

// A barrier of more threads than one pillow has places, again and again: a single lost wake-up hangs it. In
// between each thread wakes its neighbour, which shares its pillow, and not always sleeps then.
TEST(RingTogether, NeverLosesAWakeUp) {
  constexpr int members = 70;
  constexpr int rounds = 60;
  for (const bool gathers : {false, true}) {
    PolicyForTest policy({0, 0, gathers});
    std::vector<Pillow> pillows(members / Pillow::places + 1);
    std::vector<std::unique_ptr<Doorbell>> bells;
    for (int i = 0; i < members; ++i)
      bells.push_back(std::make_unique<Doorbell>(pillows[static_cast<std::size_t>(i / Pillow::places)],
                                                 i % Pillow::places));
    std::atomic<int> arrived{0};
    std::atomic<int> passed{0};
    std::vector<std::atomic<int>> told(members);
    const auto member = [&](int me) {
      Doorbell& bell = *bells[static_cast<std::size_t>(me)];
      const auto next = static_cast<std::size_t>((me + 1) % members);
      for (int round = 1; round <= rounds; ++round) {
        told[next].store(round, std::memory_order_release);
        bells[next]->ring();
        bell.wait(
            [&] { return told[static_cast<std::size_t>(me)].load(std::memory_order_acquire) >= round; });
        if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members * round) {
          passed.store(round, std::memory_order_release);
          RingTogether together;
          for (const auto& each : bells) together.ring(*each);
        } else {
          bell.wait([&] { return passed.load(std::memory_order_acquire) >= round; });
        }
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < members; ++i) threads.emplace_back(member, i);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(passed, rounds);
  }
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
