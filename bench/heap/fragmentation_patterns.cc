// SPDX-License-Identifier: Apache-2.0
// Patterns that ask how much memory a heap needs on top of what the program has in use, written anew after
// public benchmarks.
#include <algorithm>
#include <barrier>
#include <mutex>

#include "workload.h"

namespace workload {

/// A store whose records change their sizes (as in the tests of Redis and of Mesh): 64 MiB in all, of which
/// three in four records, drawn at random, are freed and replaced by others of the next size; 16 to 128 bytes
/// first, then 128 to 1024 and so on to 64 KiB, and back. All threads change at the same time.
bool fragmentation(unsigned threads, std::size_t operations) {
  constexpr std::size_t least[] = {16, 128, 1024, 8192, 1024, 128, 16};
  const std::size_t wanted = (std::size_t{64} << 20) / threads,
                    rounds = std::max<std::size_t>(operations / std::size(least), 1);
  std::barrier together(threads);
  return on_threads(threads, [=, &together](unsigned number) {
    Random random(number + 1);
    std::vector<Block> records;
    records.reserve(wanted / 16);  // pages are touched as they are needed
    std::size_t live = 0;
    bool good = true;
    for (std::size_t round = 0; round < rounds; ++round)
      for (const std::size_t smallest : least) {
        for (std::size_t at = 0; at < records.size();) {
          if (random.below(4) == 0) {
            ++at;
            continue;
          }
          live -= records[at].bytes;
          good = release(records[at]) && good;
          records[at] = records.back();
          records.pop_back();
        }
        while (live < wanted) {
          records.push_back(new_block(random.size(smallest, 3)));
          live += records.back().bytes;
        }
        together.arrive_and_wait();
      }
    for (Block& record : records) good = release(record) && good;
    return good;
  });
}

/// Random blocks of 8 to 16,000 bytes, small ones more often (as in the benchmark of rpmalloc): each thread
/// has 1000, replaces 100 of them in each loop in a scattered order, and hands every second one of those that
/// it frees to the next thread, which frees it, while fewer than 1000 wait there.
bool scattered(unsigned threads, std::size_t operations) {
  constexpr std::size_t live = 1000, replaced = 100;
  struct Mailbox {
    std::mutex lock;
    std::vector<Block> blocks;
    bool take(const Block& block) {
      const std::lock_guard guard(lock);
      const bool room = blocks.size() < live;
      if (room) blocks.push_back(block);
      return room;
    }
  };
  std::vector<Mailbox> boxes(threads);
  const bool right = on_threads(threads, [&, threads, operations](unsigned number) {
    Random random(number + 1);
    std::vector<Block> blocks(live), arrived;
    bool good = true;
    std::size_t at = 0;
    for (std::size_t loop = 0; loop < operations / threads / replaced; ++loop) {
      for (std::size_t count = 0; count < replaced; ++count) {
        at = (at + 7919) % live;
        if (count % 2 == 0 || !blocks[at].begin || !boxes[(number + 1) % threads].take(blocks[at]))
          good = release(blocks[at]) && good;
        blocks[at] = new_block(8 + random.below(8 + random.below(15992)));
      }
      {
        const std::lock_guard guard(boxes[number].lock);
        arrived.swap(boxes[number].blocks);
      }
      for (Block& block : arrived) good = release(block) && good;
      arrived.clear();
    }
    for (Block& block : blocks) good = release(block) && good;
    return good;
  });
  for (Mailbox& box : boxes)
    for (Block& block : box.blocks) release(block);
  return right;
}

}  // namespace workload
