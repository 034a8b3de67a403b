// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/lock_table.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "taihu/threads/thread_array.h"

namespace taihu::threads {
namespace {

void on_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(LockTable, ExcludesThreadsPerName) {
  LockTable table;
  constexpr int names = 3;
  int counters[names] = {};  // plain: the locks must order the accesses
  on_threads(8, [&](int) {
    const LockOwner me = current_lock_owner();
    for (int i = 0; i < 300; ++i) {
      const LockName name{static_cast<std::uint64_t>(i % names), i % names};
      ASSERT_EQ(table.lock(name, me), LockResult::done);
      ++counters[i % names];
      ASSERT_EQ(table.unlock(name, me), LockResult::done);
    }
  });
  for (const int counter : counters) EXPECT_EQ(counter, 8 * 100);
}

TEST(LockTable, ExcludesMembersOfAnArray) {
  struct Shared {
    LockTable table;
    int counter = 0;
  } shared;
  ArrayOptions options;
  options.size = 64;
  ThreadArray array(options);
  array.run(
      [](void* argument) {
        auto& here = *static_cast<Shared*>(argument);
        for (int i = 0; i < 20; ++i) {
          here.table.lock({1, 0}, current_lock_owner());
          ++here.counter;
          here.table.unlock({1, 0}, current_lock_owner());
        }
      },
      &shared);
  EXPECT_EQ(shared.counter, 64 * 20);
}

TEST(LockTable, SaysWhatIsWrong) {
  LockTable table;
  const LockName name{7, 1000000};
  const LockOwner one{0, 1};
  const LockOwner other_thread{0, 2};
  const LockOwner other_rank{1, 1};
  EXPECT_EQ(table.unlock(name, one), LockResult::not_owner) << "never locked";
  EXPECT_EQ(table.try_lock(name, one), LockResult::done);
  EXPECT_EQ(table.try_lock(name, one), LockResult::busy);
  EXPECT_EQ(table.lock(name, one), LockResult::recursive);
  EXPECT_EQ(table.try_lock(name, other_thread), LockResult::busy);
  EXPECT_EQ(table.unlock(name, other_thread), LockResult::not_owner);
  EXPECT_EQ(table.unlock(name, other_rank), LockResult::not_owner);
  EXPECT_EQ(table.try_lock({7, 1000001}, other_rank), LockResult::done) << "another lock";
  EXPECT_EQ(table.try_lock({8, 1000000}, other_rank), LockResult::done) << "another group";
  EXPECT_EQ(table.unlock(name, one), LockResult::done);
  EXPECT_EQ(table.unlock(name, one), LockResult::not_owner) << "unlocked already";
  EXPECT_EQ(table.lock(name, other_rank), LockResult::done);
}

TEST(LockTable, GrantsInOrderOfArrival) {
  LockTable table;
  const LockName name{1, 1};
  ASSERT_EQ(table.lock(name, {0, 0}), LockResult::done);
  std::vector<int> order;
  for (int rank = 1; rank <= 5; ++rank) {
    table.lock_later(name, {rank, 0}, [&order, rank](LockResult result) {
      EXPECT_EQ(result, LockResult::done);
      order.push_back(rank);
    });
  }
  EXPECT_TRUE(order.empty());
  for (int rank = 0; rank <= 5; ++rank) EXPECT_EQ(table.unlock(name, {rank, 0}), LockResult::done);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5}));
  LockResult result = LockResult::busy;
  table.lock_later(name, {9, 0}, [&](LockResult got) { result = got; });
  EXPECT_EQ(result, LockResult::done) << "a free lock is granted at once";
  table.lock_later(name, {9, 0}, [&](LockResult got) { result = got; });
  EXPECT_EQ(result, LockResult::recursive);
}

TEST(LockTable, IsNotTakenAgainBeforeThoseWhoWait) {
  // A thread that releases and asks again at once must not pass a thread that waits, however often it tries.
  LockTable table;
  const LockName name{2, 0};
  const LockOwner greedy{0, 0};
  struct Queued {
    std::atomic<int> announced{0};  // the turn for which the waiter stands in the queue
    int turn = 0;
  } queued;
  int turns = 0;  // of the waiter; guarded by the lock
  table.lock(name, greedy);
  std::thread waiter([&] {
    for (queued.turn = 1; queued.turn <= 200; ++queued.turn) {
      table.lock(name, {1, 0},
                 {[](void* context) {
                    auto& here = *static_cast<Queued*>(context);
                    here.announced.store(here.turn);
                  },
                  &queued});
      ++turns;
      table.unlock(name, {1, 0});
    }
  });
  int passed = 0;
  while (turns < 200) {
    const int before = turns;
    while (queued.announced.load() != before + 1) sched_yield();
    table.unlock(name, greedy);
    table.lock(name, greedy);
    passed += turns == before;
  }
  table.unlock(name, greedy);
  waiter.join();
  EXPECT_EQ(passed, 0);
}

TEST(LockTable, LetsTheWaiterHelp) {
  LockTable table;
  ASSERT_EQ(table.lock({3, 0}, {0, 0}), LockResult::done);
  struct Help {
    LockTable* table;
    int calls;
  } help{&table, 0};
  // The holder is the waiter's own thread: it unlocks while it waits.
  EXPECT_EQ(table.lock({3, 0}, {1, 0},
                       {[](void* context) {
                          auto& here = *static_cast<Help*>(context);
                          if (++here.calls == 3) here.table->unlock({3, 0}, {0, 0});
                        },
                        &help}),
            LockResult::done);
  EXPECT_EQ(help.calls, 3);
}

}  // namespace
}  // namespace taihu::threads
