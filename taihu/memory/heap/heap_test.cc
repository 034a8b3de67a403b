// SPDX-License-Identifier: Apache-2.0
// The heap against a plain reference: which blocks are live, where, how long, and what is in them.
#include "taihu/memory/heap/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "taihu/memory/heap/guards.h"
#include "taihu/memory/heap/statistics.h"

namespace heap = taihu::memory::heap;

namespace {

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Live blocks by address. Every block is filled with a pattern of its own, which is checked when it changes
/// or dies.
class Reference {
 public:
  struct Block {
    std::size_t bytes;
    unsigned char seed;
  };

  void add(void* address, std::size_t bytes, std::size_t alignment) {
    ASSERT_NE(address, nullptr);
    ASSERT_EQ(number(address) % std::max<std::size_t>(alignment, 16), 0u) << bytes << " bytes";
    ASSERT_GE(heap::usable_bytes(address), bytes);
    auto after = blocks_.upper_bound(number(address));
    if (after != blocks_.end()) {
      ASSERT_LE(number(address) + bytes, after->first) << "overlaps the next block";
    }
    if (after != blocks_.begin()) {
      auto before = std::prev(after);
      ASSERT_LE(before->first + std::max<std::size_t>(before->second.bytes, 1), number(address))
          << "overlaps";
    }
    const Block block{bytes, static_cast<unsigned char>(++seed_)};
    fill(address, 0, block);
    blocks_[number(address)] = block;
  }

  void remove(void* address) {
    const Block block = blocks_.at(number(address));
    check(address, block.bytes, block);
    blocks_.erase(number(address));
  }

  /// The block at `old` has been reallocated.
  void moved(void* old, void* address, std::size_t bytes) {
    const Block block = blocks_.at(number(old));
    blocks_.erase(number(old));
    check(address, std::min(bytes, block.bytes), block);
    add(address, bytes, 16);
  }

  std::size_t size() const { return blocks_.size(); }
  void* any(std::size_t at) const {
    return reinterpret_cast<void*>(std::next(blocks_.begin(), static_cast<long>(at))->first);
  }

 private:
  /// Long blocks are looked at in places: both ends and some bytes between.
  template <typename Visit>
  static void visit(std::size_t bytes, Visit each) {
    const std::size_t step = bytes <= 4096 ? 1 : bytes / 997;
    for (std::size_t at = 0; at < bytes; at += step) each(at);
    if (bytes > 0) each(bytes - 1);
  }
  static void fill(void* address, std::size_t from, Block block) {
    visit(block.bytes, [&](std::size_t at) {
      if (at >= from)
        static_cast<unsigned char*>(address)[at] = static_cast<unsigned char>(block.seed + at * 7);
    });
  }
  static void check(void* address, std::size_t bytes, Block block) {
    visit(block.bytes, [&](std::size_t at) {
      if (at < bytes) {
        ASSERT_EQ(static_cast<unsigned char*>(address)[at], static_cast<unsigned char>(block.seed + at * 7));
      }
    });
  }

  std::map<std::uintptr_t, Block> blocks_;
  unsigned seed_ = 0;
};

/// Mostly small sizes, some of every magnitude up to 64 MiB.
std::size_t random_size(std::mt19937& random) {
  const unsigned kind = random() % 100;
  const unsigned bits = kind < 70   ? random() % 11
                        : kind < 92 ? random() % 16
                        : kind < 99 ? random() % 22
                                    : random() % 27;
  return random() % ((std::size_t{1} << bits) + 1);
}

TEST(Heap, AgreesWithReference) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    Reference reference;
    for (int step = 0; step < 20000; ++step) {
      const unsigned action = random() % 100;
      if (action < 45 || reference.size() == 0) {
        const std::size_t bytes = random_size(random);
        reference.add(heap::allocate(bytes), bytes, 16);
      } else if (action < 52) {
        const std::size_t bytes = random_size(random) % (1 << 20),
                          alignment = std::size_t{16} << random() % 16;
        reference.add(heap::allocate_aligned(alignment, bytes), bytes, alignment);
      } else if (action < 60) {
        const std::size_t bytes = random_size(random);
        auto* block = static_cast<unsigned char*>(heap::allocate_zeroed(bytes));
        for (std::size_t at = 0; at < bytes; at += 1 + bytes / 1024) ASSERT_EQ(block[at], 0);
        reference.add(block, bytes, 16);
      } else if (action < 70) {
        void* old = reference.any(random() % reference.size());
        const std::size_t bytes = random_size(random) + 1;
        void* block = heap::reallocate(old, bytes);
        reference.moved(old, block, bytes);
      } else {
        void* block = reference.any(random() % reference.size());
        reference.remove(block);
        heap::free(block);
      }
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
    while (reference.size() > 0) {
      void* block = reference.any(0);
      reference.remove(block);
      heap::free(block);
    }
  }
}

TEST(Heap, GivesEverythingBack) {
  heap::free(heap::allocate(1));
  heap::trim();
  const std::size_t others_hold = heap::heap_statistics().held_bytes;  // what other tests left
  std::vector<void*> blocks;
  for (std::size_t bytes : {1, 100, 5000, 40000, 1 << 20, 50 << 20})
    for (int count = 0; count < 20; ++count) blocks.push_back(heap::allocate(bytes));
  for (void* block : blocks) heap::free(block);
  EXPECT_TRUE(heap::trim());
  const heap::HeapStatistics now = heap::heap_statistics();
  EXPECT_LE(now.held_bytes, others_hold);
  EXPECT_EQ(now.dirty_bytes, 0u);
}

/// With much in use a thread takes runs that are a little longer than asked, also for spans.
TEST(Heap, SpansOfOddLength) {
  struct Filled {
    unsigned char* block;
    std::size_t bytes;
    int value;
    bool whole() const {
      return std::all_of(block, block + bytes, [&](unsigned char byte) { return byte == value; });
    }
  };
  int number = 0;
  const auto filled = [&](std::size_t bytes) {
    const int value = ++number % 251;
    return Filled{static_cast<unsigned char*>(memset(heap::allocate(bytes), value, bytes)), bytes, value};
  };
  std::vector<Filled> kept;
  std::vector<void*> odd;
  for (int count = 0; count < 20; ++count) kept.push_back(filled(1 << 20));
  for (int count = 0; count < 30; ++count) {
    odd.push_back(heap::allocate(5 << 16));
    kept.push_back(filled(1 << 16));
  }
  for (void* block : odd) heap::free(block);
  for (int count = 0; count < 2000; ++count) kept.push_back(filled(5000));
  for (const Filled& each : kept) {
    EXPECT_TRUE(each.whole()) << "a block of " << each.bytes << " bytes overlaps another one";
    heap::free(each.block);
  }
}

TEST(Heap, EverySizeUpTo40K) {
  for (std::size_t bytes = 0; bytes <= 40000; ++bytes) {
    void* block = heap::allocate(bytes);
    ASSERT_EQ(number(block) % 16, 0u);
    ASSERT_GE(heap::usable_bytes(block), bytes);
    ASSERT_LE(heap::usable_bytes(block), bytes < 64      ? 64
                                         : bytes <= 1024 ? bytes + 16
                                         : bytes <= 32768
                                             ? (bytes + bytes / 8) * 3 / 2  // one of the next classes
                                             : std::size_t{65536});
    memset(block, 1, bytes);
    heap::free(block);
  }
}

/// Where a class has no free block, one of the next classes serves; but only if it has the alignment asked
/// for.
TEST(Heap, ClassesHelpEachOther) {
  std::thread([] {  // a cache with empty lists
    std::vector<void*> longer, shorter, aligned;
    for (int count = 0; count < 8; ++count) longer.push_back(heap::allocate(6100));
    for (void* block : longer) heap::free(block);
    for (int count = 0; count < 8; ++count) shorter.push_back(heap::allocate(5600));
    EXPECT_TRUE(std::is_permutation(shorter.begin(), shorter.end(), longer.begin(), longer.end()))
        << "new memory although 8 blocks were free";
    for (void* block : shorter) {
      EXPECT_GE(heap::usable_bytes(block), 6100u);
      heap::free(block);
    }
    longer.clear();
    for (const std::size_t bytes : {4600, 5100, 9200, 10200, 18400, 20400})
      for (int count = 0; count < 2; ++count) longer.push_back(heap::allocate(bytes));
    for (void* block : longer) heap::free(block);
    for (const std::size_t alignment : {4096, 8192, 16384})
      for (int count = 0; count < 3; ++count) {
        aligned.push_back(heap::allocate_aligned(alignment, alignment));
        EXPECT_EQ(number(aligned.back()) % alignment, 0u) << alignment;
      }
    for (void* block : aligned) heap::free(block);
    heap::free(heap::allocate(heap::small_bytes));  // no class is longer
  })
      .join();
}

/// Nothing is lost at the begin of a span, and at its end less than a block.
TEST(Heap, SpansAreFull) {
  for (std::size_t bytes = 16; bytes <= heap::multiple_bytes;
       bytes = heap::class_bytes(heap::small_class(bytes) + 1)) {
    void* block = heap::allocate(bytes);
    const heap::Slice* span = heap::slice_map.span_of(block);
    if (heap::class_bytes(span->small) == bytes) {  // no longer one has served
      EXPECT_EQ(span->capacity, (heap::slice_bytes - heap::guards::page_bytes()) / bytes) << bytes;
    }
    heap::free(block);
  }
}

TEST(Heap, EveryAlignment) {
  for (std::size_t alignment = 1; alignment <= std::size_t{64} << 20; alignment *= 2)
    for (std::size_t bytes : {0, 1, 17, 1000, 5000, 33000, 200000}) {
      void* block = heap::allocate_aligned(alignment, bytes);
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(number(block) % alignment, 0u) << alignment << " " << bytes;
      ASSERT_GE(heap::usable_bytes(block), bytes);
      memset(block, 1, bytes);
      heap::free(block);
    }
}

TEST(Heap, RefusesWhatCannotBe) {
  volatile std::size_t most = SIZE_MAX;
  EXPECT_EQ(heap::allocate(most), nullptr);
  EXPECT_EQ(heap::allocate(most / 2 + 1), nullptr);
  EXPECT_EQ(heap::allocate(std::size_t{1} << 47), nullptr);
  EXPECT_EQ(heap::allocate_zeroed(most - 5), nullptr);
  EXPECT_EQ(heap::allocate_aligned(std::size_t{1} << 62, 1), nullptr);
  EXPECT_EQ(heap::allocate_aligned(4096, most - 10), nullptr);
  auto* block = static_cast<char*>(heap::allocate(100));
  block[99] = 5;
  EXPECT_EQ(heap::reallocate(block, most - 100), nullptr);
  EXPECT_EQ(block[99], 5);
  heap::free(block);
  heap::free(nullptr);
}

TEST(Heap, GrowsToMoreThanMostMachinesHave) {
  auto* block = static_cast<char*>(heap::allocate(1 << 20));
  memset(block, 7, 1 << 20);
  heap::free(heap::allocate(16 << 20));  // room that must not be taken for enough
  const std::size_t bytes = ((std::size_t{1} << 26) + 1) << 16;
  if (auto* grown = static_cast<char*>(heap::reallocate(block, bytes))) {
    EXPECT_GE(heap::usable_bytes(grown), bytes);
    block = grown;
  }
  EXPECT_EQ(block[0], 7);
  EXPECT_EQ(block[(1 << 20) - 1], 7);
  heap::free(block);
}

TEST(Heap, LongBlocksGrowInPlaceAndShrink) {
  std::size_t bytes = 1 << 20;
  auto* block = static_cast<char*>(heap::allocate(bytes));
  memset(block, 3, bytes);
  int moves = 0;
  for (; bytes < std::size_t{200} << 20; bytes += bytes / 8) {
    auto* grown = static_cast<char*>(heap::reallocate(block, bytes + bytes / 8));
    ASSERT_NE(grown, nullptr);
    moves += grown != block;
    block = grown;
    ASSERT_EQ(block[0], 3);
    ASSERT_EQ(block[bytes - 1], 3);
    block[bytes + bytes / 8 - 1] = 3;
    block[bytes] = 3;
  }
  EXPECT_LE(moves, 12);  // of 45
  auto* shrunk = static_cast<char*>(heap::reallocate(block, 1 << 20));
  EXPECT_EQ(shrunk, block);
  EXPECT_LE(heap::usable_bytes(shrunk), std::size_t{2} << 20);
  heap::free(heap::reallocate(shrunk, 10));
}

TEST(Heap, ZeroedMemoryIsZeroAfterUse) {
  for (std::size_t bytes : {24u, 600u, 9000u, 70000u, 3000000u, 40000000u})
    for (int round = 0; round < 3; ++round) {
      auto* block = static_cast<unsigned char*>(heap::allocate_zeroed(bytes));
      for (std::size_t at = 0; at < bytes; at += 509) ASSERT_EQ(block[at], 0) << bytes;
      memset(block, 0xff, bytes);
      heap::free(block);
    }
}

TEST(HeapDeathTest, FreeOfSomethingElse) {
  int local = 0;
  void* volatile elsewhere = &local;
  EXPECT_DEATH(heap::free(elsewhere),
               "invalid pointer: free\\(\\) of 0x[0-9a-f]+, which is not a block in use");
}

}  // namespace
