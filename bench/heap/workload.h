// SPDX-License-Identifier: Apache-2.0
// What the allocation patterns of this benchmark share. Each pattern does a fixed amount of work, divided
// over the threads, and writes to what it allocates; it returns false when it finds that a block was damaged.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace workload {

/// Random numbers that cost little compared with an allocation (xorshift).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>((next() >> 11) % limit); }
  /// A size from `least` to below 2^doublings times that, every doubling as likely as the others.
  std::size_t size(std::size_t least, unsigned doublings) {
    const std::size_t base = least << below(doublings);
    return base + below(base);
  }

 private:
  std::uint64_t state_;
};

/// Uses a block: writes to every page, and marks both ends so that two owners of one block are noticed.
inline void mark(void* block, std::size_t bytes) {
  auto* words = static_cast<volatile unsigned char*>(block);
  for (std::size_t at = 2048; at < bytes; at += 4096) words[at] = 1;
  words[0] = static_cast<unsigned char>(bytes);
  words[bytes - 1] = static_cast<unsigned char>(bytes);
}
inline bool marked(const void* block, std::size_t bytes) {
  const auto* words = static_cast<const unsigned char*>(block);
  return words[0] == static_cast<unsigned char>(bytes) &&
         words[bytes - 1] == static_cast<unsigned char>(bytes);
}

struct Block {
  char* begin = nullptr;
  std::size_t bytes = 0;
};

inline Block new_block(std::size_t bytes) {
  Block block{static_cast<char*>(malloc(bytes)), bytes};
  mark(block.begin, bytes);
  return block;
}
/// False when the block was damaged. Also for one that is none.
inline bool release(Block& block) {
  const bool good = !block.begin || marked(block.begin, block.bytes);
  free(block.begin);
  block = {};
  return good;
}

/// Runs body(thread number) on that many threads at once; true when all return true.
template <typename Body>
bool on_threads(unsigned threads, Body body) {
  std::atomic<unsigned> ready{0};
  std::atomic<bool> good{true};
  std::vector<std::thread> pool;
  for (unsigned number = 0; number < threads; ++number)
    pool.emplace_back([&, number] {
      ready.fetch_add(1);
      while (ready.load() < threads) std::this_thread::yield();
      if (!body(number)) good = false;
    });
  for (std::thread& thread : pool) thread.join();
  return good;
}

using Pattern = bool(unsigned threads, std::size_t operations);

Pattern rmc_vectors, rmc_slots, rmc_huge_slots, rmc_temporaries, rmc_handed_over, growing_vectors;
Pattern small_slots, server, producer_consumer, batches, cache_scratch, cache_thrash, realloc_growth;
Pattern fragmentation, scattered;

}  // namespace workload
