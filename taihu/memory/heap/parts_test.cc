// SPDX-License-Identifier: Apache-2.0
// Size classes, the page heap, formula (1), settings.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "taihu/base/sanitizers.h"
#include "taihu/memory/heap/heap.h"
#include "taihu/memory/heap/node_heap.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/size_classes.h"

namespace heap = taihu::memory::heap;
using heap::Slice;

namespace {

TEST(SizeClasses, SmallOnesFitAndWasteAnEighth) {
  for (std::size_t bytes = 1; bytes <= heap::small_bytes; ++bytes) {
    const unsigned small = heap::small_class(bytes);
    ASSERT_LT(small, heap::small_classes);
    ASSERT_GE(heap::class_bytes(small), bytes);
    if (small > 1) {
      ASSERT_LT(heap::class_bytes(small - 1), bytes);
    }
    ASSERT_LE(heap::class_bytes(small), bytes + bytes / 8 + 15);
    ASSERT_EQ(heap::class_bytes(small) % 16, 0u);
  }
}

/// Runs of a node's page heap, taken and given back at random: never overlapping, and whole again at the end.
TEST(PageHeap, TakesAndMerges) {
  heap::free(heap::allocate(1));  // the tables exist
  heap::trim();
  heap::NodeHeap& node = heap::node_heaps[0];
  const heap::NodeStatistics before = node.statistics();
  std::mt19937 random(5);
  std::vector<Slice*> runs;
  for (int step = 0; step < 5000; ++step) {
    if (runs.size() < 40 && random() % 2) {
      const std::uint32_t slices = 1 + random() % (1u << random() % 9), alignment = 1u << random() % 5;
      Slice* run = node.take_run(slices, random() % 4 ? 1 : alignment);
      ASSERT_NE(run, nullptr);
      ASSERT_EQ(run->slices, slices);
      for (const Slice* other : runs)
        ASSERT_TRUE(run->address + run->bytes() <= other->address ||
                    other->address + other->bytes() <= run->address);
      runs.push_back(run);
    } else if (!runs.empty()) {
      const std::size_t at = random() % runs.size();
      if (random() % 8 == 0) node.extend(runs[at], 1 + random() % 8);
      if (random() % 8 == 0 && runs[at]->slices > 1)
        node.give(heap::PageHeap::split(runs[at], 1 + random() % (runs[at]->slices - 1)));
      runs[at]->written = runs[at]->slices;
      node.give(runs[at]);
      runs.erase(runs.begin() + static_cast<long>(at));
    }
  }
  for (Slice* run : runs) node.give(run);
  heap::trim();
  const heap::NodeStatistics after = node.statistics();
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.dirty, 0u);
  EXPECT_EQ(after.central, 0u);
}

/// A block in a central list keeps its dirty neighbours apart, until a block is wanted that only all together
/// are long enough for.
TEST(NodeHeap, ABlockOfACentralListJoinsItsNeighbours) {
  heap::free(heap::allocate(1));
  heap::trim();
  heap::NodeHeap& node = heap::node_heaps[0];
  const std::size_t central = node.statistics().central;
  Slice* front = node.take_run(8, 1);
  ASSERT_NE(front, nullptr);
  char* const begin = front->begin();
  Slice* middle = heap::PageHeap::split(front, 3);
  Slice* last = heap::PageHeap::split(middle, 2);
  for (Slice* run : {front, last, middle}) {
    run->written = run->slices;
    node.give(run);
  }
  ASSERT_EQ(node.statistics().central, central + 2);
  Slice* run = node.take_run(8, 1);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->begin(), begin);
  node.give(run);
  heap::trim();
}

/// A dirty run that is too short serves as the begin of a block that goes on in clean memory. A zeroed block
/// is written there only.
TEST(PageHeap, PresentPagesServeALongerBlock) {
  constexpr std::uint32_t all = 10000, present = 400, wanted = 8000;
  heap::free(heap::allocate(1));
  heap::trim();
  heap::NodeHeap& node = heap::node_heaps[0];
  Slice* front = node.take_run(all, 1);
  ASSERT_NE(front, nullptr);
  Slice* rest = heap::PageHeap::split(front, present);
  ASSERT_EQ(rest->written, 0u);
  char* const begin = front->begin();
  memset(begin, 1, front->bytes());
  front->written = present;
  node.give(rest);
  node.give(front);
  const std::size_t bytes = (std::size_t{wanted} << heap::slice_shift) - 1;
  auto* block = static_cast<char*>(heap::allocate_zeroed(bytes));
  EXPECT_EQ(block, begin);
  EXPECT_EQ(heap::slice_map.slice_of(block)->written, present);
  for (std::size_t at = 0; at < bytes; at += 4001) {
    ASSERT_EQ(block[at], 0) << at;
    if (at == (std::size_t{present} << heap::slice_shift) / 4001 * 4001) {
      unsigned char resident[16]{};
      ASSERT_EQ(
          mincore(begin + (std::size_t{present + 64} << heap::slice_shift), heap::slice_bytes, resident), 0);
      for (const unsigned char page : resident) ASSERT_EQ(page & 1, 0);
    }
  }
  heap::free(block);
  heap::trim();
}

std::atomic<int> interrupted{0}, may_go_on{0}, inside_a_call{0}, rounds{0};
std::atomic<bool> in_a_call{false};

void wait_in_the_middle(int) {
  if (in_a_call) ++inside_a_call;
  const int number = interrupted.fetch_add(1) + 1;
  while (may_go_on.load() < number) sched_yield();
}

/// A thread frees a run into a heap of its own, which has no lock; it is interrupted anywhere, and meanwhile
/// the run behind is freed into another heap, in which the first one was before. That one must not take it.
TEST(PageHeap, NeighboursOfOtherHoldersStayAlone) {
#if TAIHU_THREAD_SANITIZER
  GTEST_SKIP() << "the thread sanitizer delivers signals late";
#endif
  heap::free(heap::allocate(1));
  heap::NodeHeap& node = heap::node_heaps[0];
  Slice* run = node.take_run(4, 1);
  ASSERT_NE(run, nullptr);
  Slice* behind = heap::PageHeap::split(run, 2);
  Slice* last = heap::slice_map.slice_of(run->begin() + heap::slice_bytes);
  heap::PageHeap before(50001), own(50002);
  std::atomic<bool> stop{false};
  interrupted = may_go_on = inside_a_call = rounds = 0;
  std::signal(SIGUSR1, wait_in_the_middle);
  std::thread owner([&] {
    while (!stop) {
      run->holder = last->holder = 50001;
      in_a_call = true;
      own.give(run);
      in_a_call = false;
      if (own.take_free(2, 1) != run) break;
      ++rounds;
    }
    rounds = -1;
  });
  int moved = 0;
  // Long enough that some calls of the owner are interrupted, where the cores are busy too.
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  const auto goes_on = [&] {
    const auto time = steady_clock::now() - begin;
    return time < std::chrono::milliseconds(500) || (inside_a_call < 20 && time < std::chrono::seconds(30));
  };
  for (int number = 1; moved == 0 && goes_on(); ++number) {
    // Where cores are busy, the signal would else come before the owner has gone on from the last one.
    const int seen = rounds;
    while (rounds == seen) sched_yield();
    if (rounds < 0) break;
    pthread_kill(owner.native_handle(), SIGUSR1);
    while (interrupted < number) sched_yield();
    before.give(behind);
    if (before.take_free(2, 1) != behind) moved = number;
    may_go_on = number;
  }
  const bool owner_runs = rounds >= 0;
  stop = true;
  owner.join();
  std::signal(SIGUSR1, SIG_DFL);
  ASSERT_TRUE(owner_runs) << "the owner did not find its run";
  ASSERT_EQ(moved, 0) << "the other heap took the run";
  EXPECT_GE(inside_a_call, 20) << "the owner was hardly ever interrupted where it matters";
  EXPECT_EQ(own.free_slices() + before.free_slices(), 0u);
  node.give(run);
  node.give(behind);
}

/// A heap without a lock reads the state of a neighbour and then its holder. The neighbour may be free in
/// another heap first, and taken and cut by then: none of that may write the number of the heap that reads.
TEST(PageHeap, OnlyARunThatBecomesFreeSaysWhoseItIs) {
  heap::free(heap::allocate(1));
  heap::NodeHeap& node = heap::node_heaps[0];
  Slice* run = node.take_run(4, 1);
  ASSERT_NE(run, nullptr);
  Slice* last = heap::slice_map.slice_of(run->begin() + 3 * heap::slice_bytes);
  heap::PageHeap before(50001), own(50002);
  before.give(heap::PageHeap::split(run, 2));
  ASSERT_TRUE(before.extend(run, 2)) << "the second half, which goes on saying that it was in that heap";
  own.give(run);
  ASSERT_EQ(own.take_free(4, 1), run);
  ASSERT_EQ(last->holder, 50002);
  Slice* rest = heap::PageHeap::split(run, 2);
  EXPECT_EQ(last->holder, 50002) << "the end of a part that nobody has freed";
  node.give(run);
  node.give(rest);
}

TEST(NodeHeap, RefillBringsSeveralBlocksWhenTheHeapIsLarge) {
  heap::free(heap::allocate(1));
  heap::NodeHeap& node = heap::node_heaps[0];
  heap::LargeCache cache{.runs = heap::PageHeap(60000)};
  Slice* ballast = node.take_run(16384, 1);  // 1 GiB that nobody touches
  ASSERT_NE(ballast, nullptr);
  std::vector<Slice*> blocks;
  const std::uint64_t before = node.statistics().refills;
  for (int count = 0; count < 64; ++count) {
    Slice* block = cache.take(8);
    if (!block) block = node.refill(cache, 8);
    ASSERT_NE(block, nullptr);
    blocks.push_back(block);
  }
  EXPECT_LE(node.statistics().refills - before, 64u / 4);
  for (Slice* block : blocks) node.give(block);
  node.take_back(cache, 0);
  EXPECT_EQ(cache.runs.free_slices(), 0u);
  node.give(ballast);
  heap::trim();
}

TEST(Settings, Sizes) {
  const auto parse = [](std::string_view text) {
    std::size_t bytes = 12345;
    return heap::parse_bytes(text.data(), text.data() + text.size(), bytes) ? bytes : SIZE_MAX;
  };
  EXPECT_EQ(parse("0"), 0u);
  EXPECT_EQ(parse("17"), 17u);
  EXPECT_EQ(parse("64K"), 64u << 10);
  EXPECT_EQ(parse("3M"), 3u << 20);
  EXPECT_EQ(parse("2G"), std::size_t{2} << 30);
  for (const char* wrong : {"", "K", "1KB", "-1", "1.5M", "99999999999999999999", "99999999999999T", "1 M"})
    EXPECT_EQ(parse(wrong), SIZE_MAX) << wrong;
}

/// What is said of a value of TAIHU_HEAP_DECAY, which stays as it was then.
std::string said_of(const char* value) {
  static const char* decay;
  static std::string said;
  decay = value;
  said.clear();
  heap::Settings settings;
  heap::read_settings(
      [](const char* name) { return std::strcmp(name, "TAIHU_HEAP_DECAY") == 0 ? decay : nullptr; }, settings,
      [](const heap::Text& line) { said += line.view(); });
  if (!said.empty()) {
    EXPECT_EQ(settings.decay_ms, heap::Settings().decay_ms);
  }
  return said;
}

TEST(Settings, WrongValuesAreToldInOneLine) {
  const std::string end = " is ignored (it must be milliseconds or 'never')\n";
  EXPECT_EQ(said_of("20"), "");
  EXPECT_EQ(said_of(""), "");
  EXPECT_EQ(said_of("soon"), "taihu heap: TAIHU_HEAP_DECAY=soon" + end);
  EXPECT_EQ(said_of("a\nb\x1b[1m"), "taihu heap: TAIHU_HEAP_DECAY=a?b?[1m" + end);
  EXPECT_EQ(said_of(std::string(100000, 'x').c_str()),
            "taihu heap: TAIHU_HEAP_DECAY=" + std::string(200, 'x') + "..." + end);
}

}  // namespace
