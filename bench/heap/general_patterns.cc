// SPDX-License-Identifier: Apache-2.0
// Patterns that are common in comparisons of allocators, written anew after their public descriptions.
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "workload.h"

namespace workload {

/// 256 blocks of 32 B to 8 KB per thread, replaced at random.
bool small_slots(unsigned threads, std::size_t operations) {
  return on_threads(threads, [=](unsigned number) {
    Random random(number + 1);
    std::vector<Block> kept(256);
    bool good = true;
    for (std::size_t at = 0; at < operations / threads; ++at) {
      Block& slot = kept[random.below(kept.size())];
      if (slot.begin) good = good && marked(slot.begin, slot.bytes);
      free(slot.begin);
      slot = new_block(random.size(32, 8));
    }
    for (Block& slot : kept) free(slot.begin);
    return good;
  });
}

/// A server (Larson and Krishnan 1998): each thread replaces blocks of 8 to 1000 bytes of its own table, then
/// a new thread goes on with the table, so that most blocks are freed by another thread than the one that
/// allocated them.
bool server(unsigned threads, std::size_t operations) {
  constexpr std::size_t table = 1000, generations = 10;
  std::vector<std::vector<Block>> tables(threads, std::vector<Block>(table));
  Random filler(99);
  for (auto& blocks : tables)
    for (Block& block : blocks) block = new_block(8 + filler.below(993));
  bool good = true;
  for (std::size_t generation = 0; generation < generations; ++generation) {
    good = on_threads(threads,
                      [&, threads, operations](unsigned number) {
                        Random random(number + generation * 100 + 1);
                        std::vector<Block>& blocks = tables[(number + generation) % threads];
                        bool right = true;
                        for (std::size_t at = 0; at < operations / threads / generations; ++at) {
                          Block& slot = blocks[random.below(table)];
                          right = right && marked(slot.begin, slot.bytes);
                          free(slot.begin);
                          slot = new_block(8 + random.below(993));
                        }
                        return right;
                      }) &&
           good;
  }
  for (auto& blocks : tables)
    for (Block& block : blocks) free(block.begin);
  return good;
}

/// Half of the threads allocate blocks of 16 to 512 bytes, the other half frees them (as in xmalloc-test).
bool producer_consumer(unsigned threads, std::size_t operations) {
  constexpr std::size_t batch = 120, most_waiting = 16;
  const unsigned pairs = threads / 2 > 0 ? threads / 2 : 1;
  struct Queue {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::vector<Block>*> batches;
  };
  std::vector<Queue> queues(pairs);
  const std::size_t rounds = operations / pairs / batch;
  return on_threads(2 * pairs, [&, rounds](unsigned number) {
    Queue& queue = queues[number / 2];
    Random random(number + 1);
    bool good = true;
    for (std::size_t round = 0; round < rounds; ++round) {
      if (number % 2 == 0) {
        auto* blocks = new std::vector<Block>(batch);
        for (Block& block : *blocks) block = new_block(random.size(16, 5));
        std::unique_lock guard(queue.lock);
        queue.changed.wait(guard, [&] { return queue.batches.size() < most_waiting; });
        queue.batches.push_back(blocks);
      } else {
        std::unique_lock guard(queue.lock);
        queue.changed.wait(guard, [&] { return !queue.batches.empty(); });
        auto* blocks = queue.batches.front();
        queue.batches.pop_front();
        guard.unlock();
        for (Block& block : *blocks) {
          good = good && marked(block.begin, block.bytes);
          free(block.begin);
        }
        delete blocks;
      }
      queue.changed.notify_one();
    }
    return good;
  });
}

/// Batches of many small blocks of sizes that become smaller, freed partly in order and partly backwards (as
/// in sh6bench).
bool batches(unsigned threads, std::size_t operations) {
  return on_threads(threads, [=](unsigned number) {
    Random random(number + 1);
    constexpr std::size_t batch = 5000;
    std::vector<Block> kept, old;
    kept.reserve(batch);
    bool good = true;
    for (std::size_t done = 0; done < operations / threads; done += batch) {
      kept.clear();
      while (kept.size() < batch) {
        const std::size_t bytes = 1 + (random.below(1000) * (batch - kept.size())) / batch;
        const std::size_t run = std::min<std::size_t>(1 + 500 / bytes, batch - kept.size());
        for (std::size_t at = 0; at < run; ++at) kept.push_back(new_block(bytes));
      }
      for (std::size_t at = 0; at < batch / 2; ++at) good = release(kept[at]) && good;
      for (Block& block : old) good = release(block) && good;
      old.clear();
      for (std::size_t at = batch; at-- > batch / 2 + batch / 8;) good = release(kept[at]) && good;
      old.assign(kept.begin() + batch / 2, kept.begin() + batch / 2 + batch / 8);
    }
    for (Block& block : old) good = release(block) && good;
    return good;
  });
}

/// Passive false sharing (as in cache-scratch of Hoard): blocks of 8 bytes from one thread; each thread frees
/// one of them, allocates another one and writes to it many times. It must not be in a line with those of
/// other threads.
bool cache_scratch(unsigned threads, std::size_t operations) {
  std::vector<char*> given(threads);
  for (char*& block : given) block = static_cast<char*>(malloc(8));
  return on_threads(threads, [&, threads, operations](unsigned number) {
    free(given[number]);
    for (std::size_t at = 0; at < operations / threads; at += 1000) {
      auto* block = static_cast<volatile char*>(malloc(8));
      for (int round = 0; round < 1000; ++round)
        block[round % 8] = static_cast<char>(block[round % 8] + round);
      free(const_cast<char*>(block));
    }
    return true;
  });
}

/// Active false sharing: each thread allocates 8 bytes, writes to them many times and frees them.
bool cache_thrash(unsigned threads, std::size_t operations) {
  return on_threads(threads, [=](unsigned) {
    for (std::size_t at = 0; at < operations / threads; at += 1000) {
      auto* block = static_cast<volatile char*>(malloc(8));
      for (int round = 0; round < 1000; ++round)
        block[round % 8] = static_cast<char>(block[round % 8] + round);
      free(const_cast<char*>(block));
    }
    return true;
  });
}

}  // namespace workload
