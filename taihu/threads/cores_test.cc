// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

namespace taihu::threads {
namespace {

TEST(Cores, AThreadGoesRoundAllThatItMayUseAndKeepsItsAffinity) {
  std::thread([] {
    cpu_set_t before, after;
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    std::set<int> visited;
    int core = sched_getcpu();
    for (int i = 0; i < CPU_COUNT(&before); ++i) {
      core = usable_core_after(core);
      EXPECT_TRUE(CPU_ISSET(core, &before));
      EXPECT_TRUE(move_to_core(core));
      visited.insert(core);
    }
    EXPECT_EQ(visited.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }).join();
}

TEST(Cores, AThreadOfOneCoreStaysThere) {
  std::thread([] {
    const int here = sched_getcpu();
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(here, &only);
    ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
    EXPECT_EQ(usable_core_after(here), here);
    EXPECT_FALSE(move_to_core(here + 1));
    EXPECT_FALSE(move_to_core(-1));
    EXPECT_FALSE(move_to_core(1 << 20));
    EXPECT_EQ(sched_getcpu(), here);
  }).join();
}

TEST(Cores, AThreadKnowsWhereItIs) {
  std::thread([] {
    cpu_set_t usable;
    ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &usable)) continue;
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(core, &only);
      ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
      EXPECT_EQ(current_core(), core);
    }
  }).join();
}

TEST(Cores, OneBesideThoseThatAreTaken) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  cpu_set_t taken;
  CPU_ZERO(&taken);
  for (int left = CPU_COUNT(&usable); left > 0; --left) {
    const int core = usable_core_beside(taken);
    ASSERT_GE(core, 0);
    EXPECT_TRUE(CPU_ISSET(core, &usable));
    EXPECT_FALSE(CPU_ISSET(core, &taken));
    CPU_SET(core, &taken);
  }
  EXPECT_EQ(usable_core_beside(taken), -1);
}

}  // namespace
}  // namespace taihu::threads
