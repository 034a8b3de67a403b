// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/lock_service.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "taihu/tasks/fake_node.h"

namespace taihu::tasks {
namespace {

using launch::Scope;
using threads::LockOwner;
using threads::LockResult;

/// A job whose node processes all have the service.
struct LockJob {
  LockJob(int ranks, int processes, launch::ScopeSizes sizes) : fake(fake_layout(ranks, processes, sizes)) {
    for (auto& node : fake.nodes) services.push_back(std::make_unique<LockService>(*node));
  }
  LockService& of(int rank) { return *services[static_cast<std::size_t>(fake.layout.process_of(rank))]; }

  FakeJob fake;
  std::vector<std::unique_ptr<LockService>> services;
};

TEST(LockService, ExcludesRanksOfAllNodeProcesses) {
  LockJob job(7, 3, {7, 7, 1});
  int counters[2] = {};  // plain: the locks must order the accesses
  job.fake.run_ranks([&](int rank, int process) {
    LockService& service = *job.services[static_cast<std::size_t>(process)];
    const LockGroup all = service.group(Scope::all, rank);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(service.lock(all, i % 2, {rank, 0}), LockResult::done);
      ++counters[i % 2];
      ASSERT_EQ(service.unlock(all, i % 2, {rank, 0}), LockResult::done);
    }
  });
  EXPECT_EQ(counters[0], 7 * 50);
  EXPECT_EQ(counters[1], 7 * 50);
}

TEST(LockService, KeepsGroupsApart) {
  LockJob job(8, 2, {8, 4, 2});
  const LockOwner zero{0, 0};
  const LockOwner five{5, 0};
  LockService& first = job.of(0);
  LockService& second = job.of(5);
  EXPECT_EQ(first.lock(first.group(Scope::bnode, 0), 3, zero), LockResult::done);
  EXPECT_EQ(second.lock(second.group(Scope::bnode, 5), 3, five), LockResult::done) << "another big node";
  EXPECT_EQ(second.lock(second.array_group(5), 3, five), LockResult::done);
  EXPECT_EQ(first.lock(first.array_group(0), 3, zero), LockResult::done);
  EXPECT_EQ(first.try_lock(first.group(Scope::bnode, 3), 3, {3, 0}), LockResult::busy)
      << "the same big node as 0";
  EXPECT_EQ(first.try_lock(first.group(Scope::node, 2), 3, {2, 0}), LockResult::done);
  EXPECT_EQ(job.fake.calls, 0) << "groups inside a node process need no messages";

  // CCC_ALL and CCC_SNODE have the same members here and are still different groups.
  EXPECT_EQ(second.lock(second.group(Scope::all, 5), 3, five), LockResult::done);
  EXPECT_EQ(first.try_lock(first.group(Scope::snode, 0), 3, zero), LockResult::done);
  EXPECT_EQ(first.try_lock(first.group(Scope::all, 0), 3, zero), LockResult::busy);
  EXPECT_EQ(job.fake.calls, 1);
}

TEST(LockService, SaysWhatIsWrongAcrossProcesses) {
  LockJob job(2, 2, {2, 1, 1});
  LockService& home = job.of(0);
  LockService& remote = job.of(1);
  const LockGroup all = remote.group(Scope::all, 1);
  EXPECT_EQ(all.home, 0);
  EXPECT_EQ(remote.unlock(all, 0, {1, 0}), LockResult::not_owner);
  EXPECT_EQ(remote.try_lock(all, 0, {1, 0}), LockResult::done);
  EXPECT_EQ(remote.lock(all, 0, {1, 0}), LockResult::recursive);
  EXPECT_EQ(remote.unlock(all, 0, {1, 1}), LockResult::not_owner) << "another thread of the rank";
  EXPECT_EQ(home.try_lock(all, 0, {0, 0}), LockResult::busy);
  EXPECT_EQ(home.unlock(all, 0, {0, 0}), LockResult::not_owner);
  EXPECT_EQ(remote.unlock(all, 0, {1, 0}), LockResult::done);
  EXPECT_EQ(home.try_lock(all, 0, {0, 0}), LockResult::done);
}

TEST(LockService, AnswersLaterInOrderOfArrival) {
  LockJob job(4, 4, {4, 1, 1});
  const LockGroup all = job.of(0).group(Scope::all, 0);
  ASSERT_EQ(job.of(0).lock(all, 9, {0, 0}), LockResult::done);
  std::vector<int> order;
  std::vector<std::thread> waiting;
  for (int rank = 1; rank < 4; ++rank) {
    const int before = job.fake.calls;
    waiting.emplace_back([&, rank] {
      EXPECT_EQ(job.of(rank).lock(all, 9, {rank, 0}), LockResult::done);
      order.push_back(rank);
      EXPECT_EQ(job.of(rank).unlock(all, 9, {rank, 0}), LockResult::done);
    });
    // The handler runs in the caller: give it time to stand in the queue before the next one comes.
    while (job.fake.calls == before) sched_yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  EXPECT_TRUE(order.empty()) << "nobody is answered while the lock is held";
  ASSERT_EQ(job.of(0).unlock(all, 9, {0, 0}), LockResult::done);
  for (std::thread& thread : waiting) thread.join();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(LockService, RefusesForeignRequests) {
  LockJob job(2, 2, {2, 1, 1});
  const int nonsense = 1;
  EXPECT_TRUE(job.fake.nodes[1]->call(0, message::Service::lock, &nonsense, sizeof nonsense).empty());
}

}  // namespace
}  // namespace taihu::tasks
