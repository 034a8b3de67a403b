// SPDX-License-Identifier: Apache-2.0
// What callers must give, and that it is noticed when they do not.
#include <gtest/gtest.h>

#include "taihu/base/contract_for_tests.h"
#include "taihu/threads/dynamic_loop.h"
#include "taihu/threads/lock_table.h"
#include "taihu/threads/rendezvous.h"
#include "taihu/threads/thread_array.h"

namespace taihu::threads {
namespace {

class ThreadContracts : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  }
};

TEST_F(ThreadContracts, MembersThatDoNotExist) {
  Rendezvous rendezvous(1);
  EXPECT_EQ(broken_by([&] { rendezvous.share(0, 1, nullptr); }),
            "the member and the root are among the members");
  EXPECT_EQ(broken_by([&] { rendezvous.share(0, 0, nullptr); }), "");
  DynamicLoops loops(2);
  EXPECT_EQ(broken_by([&] { loops.begin(2, 10); }), "0 <= member < members");
}

TEST_F(ThreadContracts, ALockWithoutSomebodyToTell) {
  LockTable locks;
  EXPECT_EQ(broken_by([&] { locks.lock_later({1, 1}, {0, 0}, nullptr); }),
            "somebody is to be told when the lock is theirs");
}

TEST_F(ThreadContracts, ASpawnThatIsJoinedTwiceOrOnAnotherArray) {
  ArrayOptions options;
  ThreadArray other(options);
  options.size = 2;
  ThreadArray array(options);
  EXPECT_EQ(broken_by([&] { array.spawn(nullptr, nullptr); }), "a spawn has a kernel");
  Spawn* spawn = array.spawn([](void*) {}, nullptr);
  EXPECT_EQ(broken_by([&] { other.join(spawn); }), "a spawn is joined once, on its array");
  array.join(spawn);
  EXPECT_EQ(broken_by([&] { array.join(spawn); }), "a spawn is joined once, on its array");
}

using ThreadContractsDeathTest = ThreadContracts;

TEST_F(ThreadContractsDeathTest, InCallsThatCannotThrow) {
  EXPECT_DEATH(ArrayBarrier(0), "members of a barrier >= 1");
  EXPECT_DEATH(
      {
        Pillow pillow;
        Doorbell(pillow, Pillow::places);
      },
      "0 <= place < places of a pillow");
  EXPECT_DEATH(set_wait_policy({.spins = -1}), "spins and yields >= 0");
  DynamicLoops loops(2);
  DynamicLoop loop = loops.begin(0, 0);
  Chunk chunk;
  EXPECT_FALSE(loop.next(&chunk));
  EXPECT_DEATH(loop.next(&chunk), "is not asked again after the end");
}

}  // namespace
}  // namespace taihu::threads
