// SPDX-License-Identifier: Apache-2.0
// Blocks that cross threads, threads that end, and fork.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "taihu/base/sanitizers.h"
#include "taihu/memory/heap/heap.h"
#include "taihu/memory/heap/statistics.h"

namespace heap = taihu::memory::heap;

namespace {

struct Block {
  unsigned char* begin;
  std::size_t bytes;
  unsigned char mark;
};

Block new_block(std::mt19937& random) {
  const std::size_t bytes =
      1 + random() % (std::size_t{1} << (1 + random() % (random() % 50 == 0 ? 21 : 12)));
  Block block{static_cast<unsigned char*>(heap::allocate(bytes)), bytes,
              static_cast<unsigned char>(random())};
  block.begin[0] = block.begin[bytes - 1] = block.mark;
  return block;
}

bool release(const Block& block) {
  const bool good = block.begin[0] == block.mark && block.begin[block.bytes - 1] == block.mark;
  heap::free(block.begin);
  return good;
}

/// A bag from which every thread takes what any thread put in.
class Exchange {
 public:
  void put(Block block) {
    std::lock_guard guard(lock_);
    blocks_.push_back(block);
  }
  bool take(Block& block) {
    std::lock_guard guard(lock_);
    if (blocks_.empty()) return false;
    block = blocks_.back();
    blocks_.pop_back();
    return true;
  }

 private:
  std::mutex lock_;
  std::vector<Block> blocks_;
};

void churn(Exchange& exchange, unsigned seed, int steps, std::atomic<int>& damaged) {
  std::mt19937 random(seed);
  std::vector<Block> own;
  for (int step = 0; step < steps; ++step) {
    switch (random() % 4) {
      case 0:
        exchange.put(new_block(random));
        break;
      case 1:
        own.push_back(new_block(random));
        break;
      case 2: {
        Block block{};
        if (exchange.take(block) && !release(block)) ++damaged;
        break;
      }
      default:
        if (own.empty()) break;
        if (!release(own.back())) ++damaged;
        own.pop_back();
    }
  }
  for (const Block& block : own)
    if (!release(block)) ++damaged;
}

TEST(HeapThreads, BlocksCrossThreads) {
  Exchange exchange;
  std::atomic<int> damaged{0};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 8; ++number)
    threads.emplace_back([&, number] { churn(exchange, number, 20000, damaged); });
  for (std::thread& thread : threads) thread.join();
  Block block{};
  while (exchange.take(block))
    if (!release(block)) ++damaged;
  EXPECT_EQ(damaged, 0);
}

TEST(HeapThreads, CachesOfEndedThreadsAreUsedAgain) {
  Exchange exchange;
  std::atomic<int> damaged{0};
  const auto generation = [&](unsigned seed) {
    std::barrier together(4);  // all four have caches at the same time
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 4; ++number)
      threads.emplace_back([&, number] {
        churn(exchange, seed * 10 + number, 500, damaged);
        together.arrive_and_wait();
      });
    for (std::thread& thread : threads) thread.join();
  };
  generation(0);
  const std::uint64_t caches = heap::heap_statistics().caches;
  for (unsigned seed = 1; seed < 30; ++seed) generation(seed);
  // A cache that another thread is tending just then is passed over, so there may be some more.
  EXPECT_LE(heap::heap_statistics().caches, 2 * caches);
  Block block{};
  while (exchange.take(block))
    if (!release(block)) ++damaged;
  EXPECT_EQ(damaged, 0);
}

TEST(HeapThreads, MemoryOfEndedThreadsComesBack) {
  heap::trim();
  const std::size_t before = heap::heap_statistics().held_bytes;
  std::vector<void*> blocks;
  std::thread([&] {
    for (int count = 0; count < 100000; ++count) blocks.push_back(heap::allocate(200));
  }).join();
  for (void* block : blocks) heap::free(block);
  heap::trim();
  EXPECT_LE(heap::heap_statistics().held_bytes, before + (std::size_t{2} << 20));
}

TEST(HeapThreads, OwnerGetsBlocksBackFromOthers) {
  std::mt19937 random(1);
  heap::trim();
  std::size_t most = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> blocks;
    for (int count = 0; count < 20000; ++count) blocks.push_back(heap::allocate(100));
    std::thread([&] {
      for (void* block : blocks) heap::free(block);
    }).join();
    if (round == 3) most = heap::heap_statistics().most_held_bytes;
  }
  EXPECT_LE(heap::heap_statistics().most_held_bytes, most + (std::size_t{4} << 20));
}

pthread_key_t late_key;

/// A destructor of thread data that runs before and, as it sets itself again, after that of the heap.
void allocate_late(void* rounds_left) {
  void* block = heap::allocate(100);
  memset(block, 1, 100);
  heap::free(block);
  heap::free(heap::allocate(100000));
  const auto left = reinterpret_cast<std::uintptr_t>(rounds_left);
  if (left > 1) pthread_setspecific(late_key, reinterpret_cast<void*>(left - 1));
}

/// The system runs destructors of a thread's values four times; before the last time the thread sanitizer
/// forgets the thread.
constexpr std::intptr_t rounds_at_the_end = TAIHU_THREAD_SANITIZER ? 3 : 4;

TEST(HeapThreads, ThreadsThatEndMayStillAllocate) {
  ASSERT_EQ(pthread_key_create(&late_key, allocate_late), 0);
  std::thread([] { pthread_setspecific(late_key, reinterpret_cast<void*>(rounds_at_the_end)); }).join();
  const std::uint64_t caches = heap::heap_statistics().caches, threads = heap::heap_statistics().threads;
  for (int round = 0; round < 20; ++round)
    std::thread([] { pthread_setspecific(late_key, reinterpret_cast<void*>(rounds_at_the_end)); }).join();
  EXPECT_EQ(heap::heap_statistics().caches, caches);
  EXPECT_EQ(heap::heap_statistics().threads, threads);
  pthread_key_delete(late_key);
}

TEST(HeapThreads, ForkWhileOthersAllocate) {
  // As in a process whose malloc it is, the heap begins before there are threads: from then on forks wait for
  // it.
  heap::free(heap::allocate(1));
  Exchange exchange;
  std::atomic<int> damaged{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 3; ++number)
    threads.emplace_back([&, number] {
      for (unsigned round = 0; !stop; ++round) churn(exchange, number + 10 * round, 200, damaged);
    });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(90);  // a child that waits for a lock of a thread that is not there
      std::mt19937 random(static_cast<unsigned>(round));
      bool good = true;
      for (int step = 0; step < 2000; ++step) good = release(new_block(random)) && good;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  Block block{};
  while (exchange.take(block))
    if (!release(block)) ++damaged;
  EXPECT_EQ(damaged, 0);
}

}  // namespace
