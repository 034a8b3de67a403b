// SPDX-License-Identifier: Apache-2.0
// The allocation pattern of a reactor Monte Carlo code (vectors of 32 B to 4 MB that grow and die in threads,
// some of them in another one), as a whole and taken apart.
#include <cstdlib>
#include <mutex>
#include <thread>

#include "workload.h"

namespace workload {
namespace {

/// Vectors on their way to the threads that will destroy them: one box per thread.
struct Mailbox {
  std::mutex lock;
  std::vector<std::vector<double>> waiting;
};

/// Grows as a tally or a particle bank does: by push_back, no size known before.
std::vector<double> grown_vector(std::size_t bytes) {
  std::vector<double> grown;
  const std::size_t count = bytes / sizeof(double);
  for (std::size_t at = 0; at < count; at += 8) grown.insert(grown.end(), 8, static_cast<double>(at));
  return grown;
}

bool whole(const std::vector<double>& grown) {
  return grown.empty() ||
         (grown.front() == 0 && grown.back() == static_cast<double>((grown.size() - 1) / 8 * 8));
}

struct Slot {
  char* block = nullptr;
  std::size_t bytes = 0;
};

/// Frees a random one of `live` blocks and allocates another one, over and over.
bool slots(unsigned threads, std::size_t operations, std::size_t live, std::size_t least,
           unsigned doublings) {
  return on_threads(threads, [=](unsigned number) {
    Random random(number + 1);
    std::vector<Slot> kept(live);
    bool good = true;
    for (std::size_t at = 0; at < operations / threads; ++at) {
      Slot& slot = kept[random.below(live)];
      if (slot.block) good = good && marked(slot.block, slot.bytes);
      free(slot.block);
      slot.bytes = random.size(least, doublings);
      slot.block = static_cast<char*>(malloc(slot.bytes));
      mark(slot.block, slot.bytes);
    }
    for (Slot& slot : kept) free(slot.block);
    return good;
  });
}

}  // namespace

/// Each thread has up to 32 vectors; one in four is destroyed by another thread.
bool rmc_vectors(unsigned threads, std::size_t operations) {
  std::vector<Mailbox> boxes(threads);
  return on_threads(threads, [&, threads, operations](unsigned number) {
    Random random(number + 1);
    std::vector<std::vector<double>> live(32), arrived;
    bool good = true;
    for (std::size_t at = 0; at < operations / threads; ++at) {
      std::vector<double>& slot = live[random.below(live.size())];
      good = good && whole(slot);
      if (random.below(4) == 0) {
        Mailbox& box = boxes[random.below(threads)];
        std::lock_guard guard(box.lock);
        box.waiting.push_back(std::move(slot));
      }
      slot = grown_vector(random.size(64, 16));
      if (at % 8 == 0) {
        std::lock_guard guard(boxes[number].lock);
        arrived.swap(boxes[number].waiting);
      }
      for (std::vector<double>& vector : arrived) good = good && whole(vector);
      arrived.clear();
    }
    return good;
  });
}

bool rmc_slots(unsigned threads, std::size_t operations) {
  return slots(threads, operations, 64, 32, 17);
}

bool rmc_huge_slots(unsigned threads, std::size_t operations) {
  return slots(threads, operations, 16, 128 << 10, 5);
}

/// One block of 128 KB to 4 MB at a time.
bool rmc_temporaries(unsigned threads, std::size_t operations) {
  return slots(threads, operations, 1, 128 << 10, 5);
}

/// Every block of 32 B to 4 MB is freed by another thread than the one that allocated it; at most 64 wait for
/// each thread.
bool rmc_handed_over(unsigned threads, std::size_t operations) {
  struct Ring {
    std::mutex lock;
    std::vector<Slot> blocks;
    bool left_alone = false;  // its thread is done
    bool accept(std::vector<Slot>& more) {
      std::unique_lock guard(lock);
      if (blocks.size() >= 64 && !left_alone) {
        guard.unlock();
        std::this_thread::yield();
        return false;
      }
      if (left_alone)
        for (const Slot& slot : more) free(slot.block);
      else
        blocks.insert(blocks.end(), more.begin(), more.end());
      more.clear();
      return true;
    }
  };
  std::vector<Ring> rings(threads);
  const bool good = on_threads(threads, [&, threads, operations](unsigned number) {
    Random random(number + 1);
    std::vector<Slot> mine, theirs;
    bool right = true;
    for (std::size_t at = 0; at < operations / threads; ++at) {
      Slot slot;
      slot.bytes = random.size(32, 17);
      slot.block = static_cast<char*>(malloc(slot.bytes));
      mark(slot.block, slot.bytes);
      mine.push_back(slot);
      if (mine.size() < 16) continue;
      do {
        {
          std::lock_guard guard(rings[number].lock);
          theirs.swap(rings[number].blocks);
        }
        for (const Slot& other : theirs) {
          right = right && marked(other.block, other.bytes);
          free(other.block);
        }
        theirs.clear();
      } while (!rings[(number + 1) % threads].accept(mine));
    }
    for (const Slot& slot : mine) free(slot.block);
    std::lock_guard guard(rings[number].lock);
    rings[number].left_alone = true;
    return right;
  });
  for (Ring& ring : rings)
    for (const Slot& slot : ring.blocks) free(slot.block);
  return good;
}

/// Vectors of double that grow to 4 MB and die.
bool growing_vectors(unsigned threads, std::size_t operations) {
  return on_threads(threads, [=](unsigned) {
    bool good = true;
    for (std::size_t at = 0; at < operations / threads; ++at) good = good && whole(grown_vector(4 << 20));
    return good;
  });
}

/// A C array that grows by realloc to 16 MB, a quarter at a time.
bool realloc_growth(unsigned threads, std::size_t operations) {
  return on_threads(threads, [=](unsigned) {
    bool good = true;
    for (std::size_t at = 0; at < operations / threads; ++at) {
      std::size_t bytes = 64;
      char* grown = static_cast<char*>(malloc(bytes));
      memset(grown, 7, bytes);
      while (bytes < 16 << 20) {
        const std::size_t more = bytes / 4;
        grown = static_cast<char*>(realloc(grown, bytes + more));
        memset(grown + bytes, 7, more);
        bytes += more;
      }
      good = good && grown[0] == 7 && grown[bytes / 2] == 7 && grown[bytes - 1] == 7;
      free(grown);
    }
    return good;
  });
}

}  // namespace workload
