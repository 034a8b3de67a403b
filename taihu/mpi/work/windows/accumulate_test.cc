// SPDX-License-Identifier: Apache-2.0
// Accumulates of many ranks at once: atomic for each element, in order for each origin, for all kinds of
// types.
#include <algorithm>
#include <complex>
#include <cstring>

#include "taihu/mpi/work/windows/window_for_tests.h"

namespace taihu::mpi::windows {
namespace {

class WindowAccumulate : public testing::TestWithParam<int> {
 protected:
  TestShape shape() const { return window_shapes()[static_cast<unsigned>(GetParam())]; }
};
INSTANTIATE_TEST_SUITE_P(Shapes, WindowAccumulate, testing::Range(0, 6));

TEST_P(WindowAccumulate, FetchedNumbersAreAllDifferent) {
  constexpr int each = 200;
  std::vector<std::vector<long>> fetched(static_cast<std::size_t>(shape().ranks));
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<long> window(1);
    const int counter = rank.world().size() - 1;
    auto& mine = fetched[static_cast<unsigned>(rank.number())];
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(0, window.window));
    for (int i = 0; i < each; ++i) {
      const long one = 1;
      long before = -1;
      EXPECT_EQ(MPI_SUCCESS, MPI_Fetch_and_op(&one, &before, MPI_LONG, counter, 0, MPI_SUM, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(counter, window.window));
      mine.push_back(before);
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window.window));
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
  });
  std::vector<long> all;
  for (const auto& mine : fetched) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<long>(i));
}

TEST_P(WindowAccumulate, MixedOperationsOnOneElementLoseNothing) {
  constexpr int each = 60;
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(1);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(0, window.window));
    const int one = 1;
    int seen = 0;
    for (int i = 0; i < each; ++i) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Get_accumulate(&one, 1, MPI_INT, &seen, 1, MPI_INT, 0, 0, 1, MPI_INT,
                                                MPI_SUM, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(0, window.window));
      // Adds one by compare-and-swap.
      for (;;) {
        const int wanted = seen + 1, compare = seen;
        int found = -1;
        EXPECT_EQ(MPI_SUCCESS, MPI_Compare_and_swap(&wanted, &compare, &found, MPI_INT, 0, 0, window.window));
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(0, window.window));
        if (found == compare) break;
        seen = found;
      }
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    if (rank.number() == 0) {
      EXPECT_EQ(*window.base, 3 * each * rank.world().size());
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

TEST_P(WindowAccumulate, LongRowsAddUpAtEveryElement) {
  constexpr int number = 5003;
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<double> window(number);
    std::vector<double> data(number);
    for (int i = 0; i < number; ++i) data[static_cast<unsigned>(i)] = i + rank.number();
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    for (int target = 0; target < rank.world().size(); ++target) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(data.data(), number, MPI_DOUBLE, target, 0, number, MPI_DOUBLE,
                                              MPI_SUM, window.window));
      }
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    const int ranks = rank.world().size();
    for (int i = 0; i < number; ++i)
      ASSERT_EQ(window.base[i], 3.0 * (ranks * i + ranks * (ranks - 1) / 2)) << i;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

TEST_P(WindowAccumulate, OneOriginsAccumulatesKeepTheirOrder) {
  run_ranks(shape(), [&](Rank& rank) {
    const int ranks = rank.world().size();
    constexpr int number = 3000;  // more than one call's data between node processes
    WindowForTests<int> window(ranks * number, -1);
    const MPI_Aint mine = rank.number() * number;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(0, window.window));
    std::vector<int> data(number);
    std::vector<std::vector<int>> before(static_cast<std::size_t>(ranks), std::vector<int>(number));
    for (int round = 0; round < 20; ++round) {
      std::fill(data.begin(), data.end(), round);
      const int size = round % 3 == 0 ? number : 1;
      for (int target = 0; target < ranks; ++target) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(data.data(), number, MPI_INT, target, mine, number, MPI_INT,
                                              MPI_REPLACE, window.window));
        EXPECT_EQ(MPI_SUCCESS, MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL,
                                                  before[static_cast<unsigned>(target)].data(), size, MPI_INT,
                                                  target, mine, size, MPI_INT, MPI_NO_OP, window.window));
      }
      if (round % 3 != 2) continue;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush_all(window.window));
      for (const std::vector<int>& seen : before) {
        EXPECT_EQ(seen[0], round);
        EXPECT_EQ(seen[number - 1], round - 2);
      }
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    for (int i = 0; i < ranks * number; ++i) ASSERT_EQ(window.base[i], 19) << i;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

struct DoubleInt {
  double value;
  int index;
};

TEST_P(WindowAccumulate, PairsAtTheEndOfAWindow) {
  run_ranks(shape(), [&](Rank& rank) {
    // The window ends where the data of the last pair end, before its padding.
    constexpr MPI_Aint bytes = 3 * sizeof(DoubleInt) - 4;
    struct {
      DoubleInt pairs[3] = {{0, -1}, {0, -1}, {0, -1}};
      int behind = 77;
    } memory;
    std::memset(reinterpret_cast<char*>(&memory) + bytes, 0x5a, 4);
    MPI_Win window;
    EXPECT_EQ(MPI_SUCCESS,
              MPI_Win_create(&memory, bytes, sizeof(DoubleInt), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
    DoubleInt mine[3];
    for (int i = 0; i < 3; ++i)
      mine[i] = {static_cast<double>((rank.number() * 7 + i * 3) % 10), rank.number()};
    const TypeForTests three(make_contiguous(3, *predefined_datatype(MPI_DOUBLE_INT)));
    for (int target = 0; target < rank.world().size(); ++target)
      EXPECT_EQ(MPI_SUCCESS,
                MPI_Accumulate(mine, 1, three, target, 0, 3, MPI_DOUBLE_INT, MPI_MAXLOC, window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
    for (int i = 0; i < 3; ++i) {
      DoubleInt best{0, -1};
      for (int other = 0; other < rank.world().size(); ++other) {
        const double value = (other * 7 + i * 3) % 10;
        if (value > best.value || (value == best.value && best.index < 0 && value > 0)) best = {value, other};
      }
      EXPECT_EQ(memory.pairs[i].value, best.value);
      if (best.value > 0) {
        EXPECT_EQ(memory.pairs[i].index, best.index);
      }
    }
    char padding[4];
    std::memcpy(padding, reinterpret_cast<char*>(&memory) + bytes, 4);
    for (const char byte : padding) EXPECT_EQ(byte, 0x5a);
    EXPECT_EQ(memory.behind, 77);
    // One pair, the last, by the first rank: it gets what was there, and the padding stays.
    const DoubleInt before = memory.pairs[2];
    for (const MPI_Op operation : {MPI_REPLACE, MPI_MAXLOC}) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
      struct {
        DoubleInt pair{-1, -1};
        int behind = 78;
      } got;
      const DoubleInt given{operation == MPI_REPLACE ? 50.0 : 60.0, 5};
      const int target = rank.world().size() - 1;
      if (rank.number() == 0)
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_Fetch_and_op(&given, &got.pair, MPI_DOUBLE_INT, target, 2, operation, window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
      EXPECT_EQ(got.behind, 78);
      if (rank.number() == 0 && operation == MPI_MAXLOC) EXPECT_EQ(got.pair.value, 50.0);
      if (rank.number() == 0 && operation == MPI_REPLACE && target == 0)
        EXPECT_EQ(got.pair.value, before.value);
      if (rank.number() != target) continue;
      EXPECT_EQ(memory.pairs[2].value, given.value);
      EXPECT_EQ(memory.pairs[2].index, 5);
      std::memcpy(padding, reinterpret_cast<char*>(&memory) + bytes, 4);
      for (const char byte : padding) EXPECT_EQ(byte, 0x5a);
      EXPECT_EQ(memory.behind, 77);
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
  });
}

TEST_P(WindowAccumulate, WideElementsAreWhole) {
  using Number = std::complex<double>;
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<Number> window(40);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(MPI_MODE_NOCHECK, window.window));
    const std::vector<Number> data(40, Number(1, -2));
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(data.data(), 40, MPI_C_DOUBLE_COMPLEX, 0, 0, 40,
                                            MPI_C_DOUBLE_COMPLEX, MPI_SUM, window.window));
      Number seen;
      EXPECT_EQ(MPI_SUCCESS,
                MPI_Fetch_and_op(nullptr, &seen, MPI_C_DOUBLE_COMPLEX, 0, 39, MPI_NO_OP, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(0, window.window));
      EXPECT_EQ(seen.imag(), -2 * seen.real());
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    if (rank.number() == 0) {
      EXPECT_EQ(window.base[39], Number(50, -100) * static_cast<double>(rank.world().size()));
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

}  // namespace
}  // namespace taihu::mpi::windows
