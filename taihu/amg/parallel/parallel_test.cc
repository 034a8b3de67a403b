// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "taihu/abi/naalloc.h"
#include "taihu/amg/parallel/array.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/base/sanitizers.h"

namespace taihu::amg {
namespace {

std::vector<Offset> starts_of(LocalIndex rows, Offset per_row) {
  std::vector<Offset> starts(rows + 1);
  for (LocalIndex i = 0; i < rows; ++i) starts[i + 1] = starts[i] + per_row;
  return starts;
}

TEST(Partition, CoversAllRowsInOrderOnBlockBounds) {
  for (const LocalIndex rows : {0, 1, 255, 256, 257, 100'000})
    for (const int parts : {1, 2, 3, 64})
      for (const Partition& partition :
           {Partition::even(rows, parts), Partition::by_work(starts_of(rows, 7), parts)}) {
        ASSERT_EQ(partition.parts(), parts);
        ASSERT_EQ(partition.begin(0), 0);
        ASSERT_EQ(partition.end(parts - 1), rows);
        ASSERT_EQ(partition.rows(), rows);
        for (int part = 0; part < parts; ++part) {
          ASSERT_LE(partition.begin(part), partition.end(part));
          ASSERT_TRUE(partition.end(part) % row_block == 0 || partition.end(part) == rows);
        }
      }
}

TEST(Partition, GivesEqualWorkWhereRowsAreUnequal) {
  std::vector<Offset> starts{0};
  for (LocalIndex i = 0; i < 100'000; ++i) starts.push_back(starts.back() + (i < 10'000 ? 91 : 1));
  const Partition partition = Partition::by_work(starts, 4);
  for (int part = 0; part < 4; ++part) {
    const Offset work = starts[partition.end(part)] - starts[partition.begin(part)] +
                        2 * (partition.end(part) - partition.begin(part));
    EXPECT_NEAR(static_cast<double>(work), 1.2e6 / 4, 3e4);
  }
}

TEST(Partition, SmallWorkStaysOnOneThread) {
  EXPECT_TRUE(Partition::by_work(starts_of(1000, 7), 16).single());
}

TEST(Storage, BlocksDoNotOverlapAndKeepTheirContent) {
  Storage storage;
  std::mt19937 random(3);
  struct Held {
    Array<unsigned> array;
    unsigned mark;
  };
  std::vector<Held> held;
  for (unsigned step = 0; step < 600; ++step) {
    if (held.size() > 20 || (!held.empty() && random() % 3 == 0)) {
      const std::size_t victim = random() % held.size();
      for (const unsigned value : held[victim].array) ASSERT_EQ(value, held[victim].mark);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      Held fresh{Array<unsigned>(storage, 1 + random() % 60'000), step};
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(fresh.array.data()) % 64, 0u);
      std::fill(fresh.array.begin(), fresh.array.end(), step);
      if (random() % 4 == 0) fresh.array.shorten(1 + random() % fresh.array.size());
      held.push_back(std::move(fresh));
    }
  }
  held.clear();
  EXPECT_EQ(storage.used_bytes(), 0u);
}

TEST(Storage, PlacesWhatCyclesReadByTheirPartsAndNothingElse) {
#if TAIHU_THREAD_SANITIZER
  GTEST_SKIP() << "naalloc asks OpenMP's threads, whose barriers the sanitizer does not see";
#endif
  Storage storage(Placing::always);
  const std::vector<std::size_t> ends{300'000, 300'000, 1'000'000};
  auto* placed = static_cast<double*>(storage.take(sizeof(double), ends, Use::cycles));
  auto* other = static_cast<double*>(storage.take(sizeof(double), ends, Use::set_up));
  std::fill(placed, placed + ends.back(), 1.0);
  naalloc_pages pages{};
  ASSERT_EQ(naalloc_where(placed, &pages), 0);
  EXPECT_EQ(naalloc_where(other, &pages), -1);
  const Storage::Pages all = storage.placed_pages();
  EXPECT_GE((all.local + all.remote + all.unknown) * pages.page_bytes, ends.back() * sizeof(double));
  auto* shortened = static_cast<double*>(storage.shorten(placed, ends.back() * sizeof(double), 800'000));
  EXPECT_EQ(shortened[99'999], 1.0);
  EXPECT_EQ(naalloc_where(placed, &pages), -1);
  storage.give_back(shortened, 800'000);
  storage.give_back(other, ends.back() * sizeof(double));
  EXPECT_EQ(storage.used_bytes(), 0u);
  EXPECT_FALSE(Storage(Placing::never).is_placing());
}

TEST(Storage, UsesFreedMemoryAgain) {
  Storage storage;
  void* first;
  {
    const Array<double> array(storage, 1'000'000);
    first = const_cast<double*>(array.data());
  }
  const Array<double> again(storage, 900'000);
  EXPECT_EQ(again.data(), first);
}

TEST(Storage, ShortenedBlocksLeaveRoomForOthers) {
  Storage storage;
  Array<double> array(storage, 1'000'000);
  array[5] = 7;
  array.shorten(20'000);
  EXPECT_EQ(array[5], 7);
  const Array<double> other(storage, 500'000);
  EXPECT_LT(reinterpret_cast<std::uintptr_t>(other.data()),
            reinterpret_cast<std::uintptr_t>(array.data()) + 8'000'000);
  array.shorten(3);
  EXPECT_EQ(array.size(), 3u);
}

}  // namespace
}  // namespace taihu::amg
