// SPDX-License-Identifier: Apache-2.0
// The lock of an endpoint keeps threads apart whoever has the favour, gives it and takes it back.
#include "taihu/message/locks/biased_lock.h"

#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace taihu::message {
namespace {

/// What the lock guards in these tests: plain memory, so that the sanitizers see who is inside together.
struct Guarded {
  BiasedLock lock;
  long entries = 0;
  bool occupied = false;

  void enter() {
    EXPECT_FALSE(occupied);
    occupied = true;
    ++entries;
    occupied = false;
  }
};

constexpr int until_favoured = 64;

TEST(BiasedLock, ExcludesWhileOneThreadTakesItNearlyAlways) {
  Guarded guarded;
  constexpr int rounds = 20000;
  std::atomic<bool> stop{false};
  long by_other = 0;
  std::thread other([&] {
    while (!stop.load()) {
      {
        const std::lock_guard hold(guarded.lock);
        guarded.enter();
      }
      ++by_other;
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    const std::lock_guard hold(guarded.lock);
    guarded.enter();
  }
  stop.store(true);
  other.join();
  EXPECT_EQ(guarded.entries, rounds + by_other);
}

TEST(BiasedLock, ExcludesThreadsThatLockAndTryAtRandom) {
  Guarded guarded;
  constexpr int threads = 4, rounds = 4000;
  std::vector<long> entered(threads);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < rounds; ++i) {
        // Bursts of one thread win the favour, the others take it away.
        const int burst = random() % 8 == 0 ? 100 : 1;
        const bool tries = random() % 2 == 0;
        for (int k = 0; k < burst; ++k) {
          std::unique_lock hold(guarded.lock, std::defer_lock);
          if (tries ? !hold.try_lock() : (hold.lock(), false)) continue;
          guarded.enter();
          ++entered[static_cast<std::size_t>(t)];
        }
        if (random() % 16 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  long sum = 0;
  for (const long count : entered) sum += count;
  EXPECT_EQ(guarded.entries, sum);
}

TEST(BiasedLock, TryFailsForItsHolderAndForOthers) {
  BiasedLock lock;
  for (int i = 0; i < until_favoured; ++i) {
    lock.lock();
    EXPECT_FALSE(lock.try_lock()) << i;
    std::thread([&] { EXPECT_FALSE(lock.try_lock()) << i; }).join();
    lock.unlock();
    EXPECT_TRUE(lock.try_lock()) << i;
    lock.unlock();
  }
}

TEST(BiasedLock, TryOfAnotherSucceedsWhenTheFavouriteIsOutside) {
  BiasedLock lock;
  for (int i = 0; i < until_favoured; ++i) {
    lock.lock();
    lock.unlock();
  }
  std::thread([&] {
    ASSERT_TRUE(lock.try_lock());
    lock.unlock();
  }).join();
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
}

TEST(BiasedLock, HolderLearnsThatOthersWait) {
  BiasedLock lock;
  for (int i = 0; i < until_favoured; ++i) {
    lock.lock();
    lock.unlock();
  }
  for (int round = 0; round < 3; ++round) {  // by favour, then without
    lock.lock();
    EXPECT_FALSE(lock.is_wanted());
    std::thread other([&] {
      lock.lock();
      lock.unlock();
    });
    while (!lock.is_wanted()) std::this_thread::yield();
    lock.unlock();
    lock.give_way();
    other.join();
    lock.lock();
    EXPECT_FALSE(lock.is_wanted());
    lock.unlock();
  }
}

TEST(BiasedLock, ServesThreadsThatComeAndGo) {
  Guarded guarded;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      for (int k = 0; k < 100; ++k) {
        const std::lock_guard hold(guarded.lock);
        guarded.enter();
      }
    }).join();
  }
  EXPECT_EQ(guarded.entries, 2000);
}

}  // namespace
}  // namespace taihu::message
