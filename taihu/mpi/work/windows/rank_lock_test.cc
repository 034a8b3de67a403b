// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/rank_lock.h"

#include <gtest/gtest.h>

#include <thread>

#include "taihu/base/random.h"

namespace taihu::mpi::windows {
namespace {

TEST(RankLock, ReadersShareAWriterDoesNot) {
  RankLock lock;
  EXPECT_TRUE(lock.try_acquire(LockKind::shared));
  EXPECT_TRUE(lock.try_acquire(LockKind::shared));
  EXPECT_FALSE(lock.try_acquire(LockKind::exclusive));
  lock.release(LockKind::shared);
  lock.release(LockKind::shared);
  EXPECT_TRUE(lock.try_acquire(LockKind::exclusive));
  EXPECT_FALSE(lock.try_acquire(LockKind::exclusive));
  EXPECT_FALSE(lock.try_acquire(LockKind::shared));
  lock.release(LockKind::exclusive);
  EXPECT_TRUE(lock.try_acquire(LockKind::shared));
}

TEST(RankLock, GrantsInOrderReadersTogether) {
  RankLock lock;
  std::vector<int> granted;
  const auto note = [&](int who) { return [&granted, who] { granted.push_back(who); }; };
  lock.acquire(LockKind::shared, note(0));
  lock.acquire(LockKind::exclusive, note(1));
  lock.acquire(LockKind::shared, note(2));  // fits, but must not overtake the writer
  lock.acquire(LockKind::shared, note(3));
  lock.acquire(LockKind::exclusive, note(4));
  EXPECT_EQ(granted, (std::vector<int>{0}));
  EXPECT_FALSE(lock.try_acquire(LockKind::shared));
  lock.release(LockKind::shared);
  EXPECT_EQ(granted, (std::vector<int>{0, 1}));
  lock.release(LockKind::exclusive);
  EXPECT_EQ(granted, (std::vector<int>{0, 1, 2, 3}));
  lock.release(LockKind::shared);
  EXPECT_EQ(granted.size(), 4u);
  lock.release(LockKind::shared);
  EXPECT_EQ(granted, (std::vector<int>{0, 1, 2, 3, 4}));
  lock.release(LockKind::exclusive);
  EXPECT_TRUE(lock.try_acquire(LockKind::exclusive));
}

TEST(RankLock, ExcludesUnderLoad) {
  RankLock lock;
  int value = 0;  // plain: a data race would show under the thread sanitizer
  std::atomic<int> writers{0}, readers{0}, wrong{0};
  const auto work = [&](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < 3000; ++i) {
      const LockKind kind = random.next() % 3 == 0 ? LockKind::exclusive : LockKind::shared;
      std::atomic<bool> mine{false};
      lock.acquire(kind, [&] { mine.store(true, std::memory_order_release); });
      while (!mine.load(std::memory_order_acquire)) std::this_thread::yield();
      if (kind == LockKind::exclusive) {
        if (writers.fetch_add(1) != 0 || readers.load() != 0) ++wrong;
        ++value;
        writers.fetch_sub(1);
      } else {
        readers.fetch_add(1);
        if (writers.load() != 0 || value < 0) ++wrong;
        readers.fetch_sub(1);
      }
      lock.release(kind);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_TRUE(lock.try_acquire(LockKind::exclusive));
}

TEST(RankLock, AStreamOfReadersDoesNotStarveAWriter) {
  RankLock lock;
  std::atomic<bool> stop{false}, written{false};
  std::atomic<int> reads{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        std::atomic<bool> mine{false};
        lock.acquire(LockKind::shared, [&] { mine.store(true); });
        while (!mine.load()) std::this_thread::yield();
        ++reads;
        std::this_thread::yield();
        lock.release(LockKind::shared);
      }
    });
  }
  while (reads.load() < 100) std::this_thread::yield();
  lock.acquire(LockKind::exclusive, [&] { written.store(true); });
  // Readers that had the lock may go on once each; 1,000 leave room for those that asked before.
  const int before = reads.load();
  while (!written.load() && reads.load() < before + 1000) std::this_thread::yield();
  EXPECT_TRUE(written.load()) << "readers that came later were let in before the writer";
  stop.store(true);
  while (!written.load()) std::this_thread::yield();
  lock.release(LockKind::exclusive);
  for (std::thread& reader : readers) reader.join();
  EXPECT_TRUE(lock.try_acquire(LockKind::exclusive));
}

}  // namespace
}  // namespace taihu::mpi::windows
