// SPDX-License-Identifier: Apache-2.0
// What each kind of synchronisation promises, and that calls outside of their epochs are refused.
#include <atomic>
#include <thread>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/work/windows/window_for_tests.h"

namespace taihu::mpi::windows {
namespace {

class WindowSynchronisation : public testing::TestWithParam<int> {
 protected:
  TestShape shape() const { return window_shapes()[static_cast<unsigned>(GetParam())]; }
};
INSTANTIATE_TEST_SUITE_P(Shapes, WindowSynchronisation, testing::Range(0, 6));

/// Adds one to a number by get and put, which is only right if nobody else does meanwhile.
TEST_P(WindowSynchronisation, ExclusiveLocksExclude) {
  constexpr int each = 50;
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(1);
    const int last = rank.world().size() - 1;
    for (int i = 0; i < each; ++i) {
      int value = -1;
      if (i % 5 == 4) {  // readers in between
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_SHARED, last, 0, window.window));
        EXPECT_EQ(MPI_SUCCESS, MPI_Get(&value, 1, MPI_INT, last, 0, 1, MPI_INT, window.window));
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(last, window.window));
        EXPECT_GE(value, i - i / 5);
        continue;
      }
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Get(&value, 1, MPI_INT, last, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(last, window.window));
      ++value;
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, last, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(last, window.window));
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    if (rank.number() == last) {
      EXPECT_EQ(*window.base, each * 4 / 5 * rank.world().size());
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

/// A ring: every rank exposes its window to its left neighbour only and accesses that of its right one.
TEST_P(WindowSynchronisation, PostAndStartMatchRoundByRound) {
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(1, -1);
    const int ranks = rank.world().size();
    const int right = (rank.number() + 1) % ranks, left = (rank.number() + ranks - 1) % ranks;
    const GroupForTests origins({left}), targets({right});
    for (int round = 0; round < 30; ++round) {
      const int assertion = round % 3 == 1 ? MPI_MODE_NOSTORE : 0;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_post(origins, assertion, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_start(targets, 0, window.window));
      const int value = round * 10 + rank.number();
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_complete(window.window));
      if (round % 2 == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_wait(window.window));
      } else {
        for (int done = 0; done == 0;) ASSERT_EQ(MPI_SUCCESS, MPI_Win_test(window.window, &done));
      }
      EXPECT_EQ(*window.base, round * 10 + left);
    }
  });
}

TEST_P(WindowSynchronisation, StartWithoutCheckMatchesPostsThatCame) {
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(1, -1);
    const GroupForTests everybody(all_ranks(rank));
    for (int round = 0; round < 6; ++round) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_post(everybody, MPI_MODE_NOCHECK, window.window));
      // Everybody has posted behind this.
      EXPECT_EQ(M_SUCCESS, collective::barrier(rank.world().collectives()));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_start(everybody, round % 2 == 0 ? MPI_MODE_NOCHECK : 0, window.window));
      const int value = round;
      const int target = (rank.number() + round) % rank.world().size();
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_complete(window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_wait(window.window));
      EXPECT_EQ(*window.base, round);
    }
  });
}

/// The lock of a target is held for a while: others queue up and all get it.
TEST_P(WindowSynchronisation, HeldLocksAreHandedOn) {
  std::atomic<int> inside{0}, most{0};
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(1);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.window));
      const int now = inside.fetch_add(1) + 1;
      if (now > most.load()) most.store(now);
      std::this_thread::yield();
      inside.fetch_sub(1);
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(0, window.window));
    }
    (void)rank;
  });
  EXPECT_EQ(most.load(), 1);
}

TEST_P(WindowSynchronisation, ThreadsOfARankLockDifferentTargets) {
  run_ranks(shape(), [&](Rank& rank) {
    WindowForTests<int> window(8);
    std::vector<std::thread> threads;
    for (int target = 0; target < rank.world().size(); ++target) {
      threads.emplace_back([&, target] {
        TestRanks::run_as(rank, [&](Rank&) {
          for (int i = 0; i < 10; ++i) {
            const int one = 1;
            EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.window));
            EXPECT_EQ(MPI_SUCCESS,
                      MPI_Accumulate(&one, 1, MPI_INT, target, 3, 1, MPI_INT, MPI_SUM, window.window));
            EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(target, window.window));
          }
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
    EXPECT_EQ(window.base[3], 10 * rank.world().size());
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
  });
}

TEST_P(WindowSynchronisation, NobodyIsATargetToo) {
  run_ranks(shape(), [&](Rank&) {
    WindowForTests<int> window(1, 5);
    int value = 1;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(MPI_PROC_NULL, window.window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(MPI_PROC_NULL, window.window));
    EXPECT_EQ(value, 1);
    EXPECT_EQ(*window.base, 5);
  });
}

TEST(WindowEpochs, CallsOutsideOfThemAreRefused) {
  run_ranks(1, [](Rank&) {
    WindowForTests<int> window(4);
    const MPI_Win win = window.window;
    const GroupForTests me({0});
    int value = 1, flag = 0;
    MPI_Request request;
    const auto put = [&] { return MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); };
    EXPECT_EQ(MPI_ERR_RMA_SYNC, put());
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_flush(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_flush_local(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_flush_local_all(win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_complete(win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_wait(win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_test(win, &flag));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_start(me, 0, win));
    MPI_Win copy = win;
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_free(&copy));
    EXPECT_EQ(MPI_SUCCESS, put());
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, put());

    // A fence opens an epoch, which another kind may take the place of until something was accessed.
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(0, win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request));
    EXPECT_EQ(MPI_SUCCESS, put());
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_post(me, 0, win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, put());

    EXPECT_EQ(MPI_SUCCESS, MPI_Win_post(me, 0, win));
    EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Win_post(me, 0, win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_test(win, &flag));
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_start(me, 0, win));
    EXPECT_EQ(MPI_SUCCESS, put());
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_complete(win));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_wait(win));
    EXPECT_EQ(MPI_ERR_ASSERT, MPI_Win_fence(1 << 30, win));
    EXPECT_EQ(MPI_ERR_LOCKTYPE, MPI_Win_lock(7, 0, 0, win));
    EXPECT_EQ(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    EXPECT_EQ(MPI_ERR_GROUP, MPI_Win_start(MPI_GROUP_NULL, 0, win));
  });
}

TEST(WindowEpochs, OnlyStartedTargetsAreOpen) {
  run_ranks(2, [](Rank& rank) {
    WindowForTests<int> window(1);
    const GroupForTests one({1}), zero({0});
    if (rank.number() == 0) {
      const int value = 3;
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_start(one, 0, window.window));
      EXPECT_EQ(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_complete(window.window));
    } else {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_post(zero, 0, window.window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_wait(window.window));
      EXPECT_EQ(*window.base, 3);
    }
  });
}

}  // namespace
}  // namespace taihu::mpi::windows
