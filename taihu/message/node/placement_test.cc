// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/placement.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace taihu::message {
namespace {

cpu_set_t usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

void use_only(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
}

TEST(Placement, KnowsWhoIsOnTheSameCore) {
  std::thread([] {
    use_only(sched_getcpu());
    Placement one, other, unused;
    EXPECT_FALSE(one.shares_core_with(unused));
    EXPECT_TRUE(other.shares_core_with(one));
    EXPECT_TRUE(one.shares_core_with(other));
  }).join();
}

TEST(Placement, LeavesTheCoreAfterManyWaitsAndMayUseAllCoresAfterwards) {
  std::thread([] {
    const cpu_set_t usable = usable_cores();
    if (CPU_COUNT(&usable) < 2) GTEST_SKIP() << "needs two cores";
    const int core = sched_getcpu();
    use_only(core);
    Placement one, other;
    one.shares_core_with(other);
    ASSERT_TRUE(other.shares_core_with(one));
    ASSERT_EQ(sched_setaffinity(0, sizeof usable, &usable), 0);
    for (int i = 0; i < 100; ++i) other.leave_core();
    const cpu_set_t after = usable_cores();
    EXPECT_TRUE(CPU_EQUAL(&after, &usable));
    // It has noted where it went. A thread that waits on the old core no longer meets it there.
    use_only(core);
    EXPECT_FALSE(one.shares_core_with(other));
  }).join();
}

TEST(Placement, StaysWhereItIsBound) {
  std::thread([] {
    const int core = sched_getcpu();
    use_only(core);
    Placement one, other;
    one.shares_core_with(other);
    other.shares_core_with(one);
    for (int i = 0; i < 1000; ++i) other.leave_core();
    EXPECT_TRUE(one.shares_core_with(other));
    EXPECT_EQ(sched_getcpu(), core);
    const cpu_set_t after = usable_cores();
    EXPECT_EQ(CPU_COUNT(&after), 1);
  }).join();
}

}  // namespace
}  // namespace taihu::message
