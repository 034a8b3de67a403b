// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/task_simulation.h"

#include <gtest/gtest.h>

namespace taihu::model {
namespace {

constexpr TaskCosts costs{1e-3, 10e-3, 5e-3};

TEST(TaskSimulation, OneThreadOfOneProcess) {
  const TaskMachine machine{1, 1, 0};
  const TaskWork work{7, 2, 0};
  // It asks once, and takes its tasks one after the other.
  EXPECT_NEAR(simulate_pools(machine, work, costs).seconds, 0.02 + 7 * 2.001, 1e-9);
  EXPECT_NEAR(simulate_single_master(machine, work, costs).seconds, 7 * 2.02, 1e-9);
  EXPECT_DOUBLE_EQ(simulate_static(machine, work).seconds, 14);
  EXPECT_DOUBLE_EQ(least_seconds(machine, work), 14);
}

TEST(TaskSimulation, NoTasks) {
  EXPECT_EQ(simulate_pools({4, 4, 2}, {0, 2, 0}, costs).seconds, 0);
  EXPECT_EQ(simulate_stealing({4, 4, 2}, {0, 2, 0.5}, costs).seconds, 0);
}

TEST(TaskSimulation, ThreadsWaitInTurnsForASingleMaster) {
  // 100 threads, the last is served after a second; from then on they come one by one.
  EXPECT_NEAR(simulate_single_master({10, 10, 0}, {3, 2, 0}, costs).seconds, 3 * 2.02 + 99 * 0.01, 1e-9);
}

TEST(TaskSimulation, EveryShapeDoesEveryTask) {
  for (const TaskMachine machine : {TaskMachine{1, 5, 0}, TaskMachine{7, 3, 0}, TaskMachine{7, 3, 2},
                                    TaskMachine{64, 16, 8}, TaskMachine{3, 1, 1}}) {
    for (const double variation : {0.0, 0.5}) {
      const TaskWork work{20, 1, variation};
      const double least = least_seconds(machine, work);
      for (const TaskTime& time :
           {simulate_pools(machine, work, costs), simulate_static(machine, work),
            simulate_single_master(machine, work, costs), simulate_stealing(machine, work, costs)}) {
        EXPECT_EQ(time.tasks, machine.workers() * 20);
        EXPECT_GE(time.seconds, least * (1 - 1e-9));
        EXPECT_LT(time.seconds, 3 * least + 20 * 0.02 * static_cast<double>(machine.workers()));
      }
    }
  }
}

TEST(TaskSimulation, RegionsTakeRequestsFromTheGlobalMaster) {
  const TaskWork work{20, 1, 0};
  const TaskTime flat = simulate_pools({256, 16, 0}, work, costs);
  const TaskTime regions = simulate_pools({256, 16, 16}, work, costs);
  EXPECT_LT(regions.master_requests, flat.master_requests / 2);
  EXPECT_LT(regions.seconds, flat.seconds);
}

TEST(TaskSimulation, UnevenTasksAreEvenedOut) {
  const TaskMachine machine{32, 8, 0};
  const TaskWork work{20, 10, 0.5};
  const double least = least_seconds(machine, work);
  EXPECT_GT(simulate_static(machine, work).seconds, 1.2 * least);
  EXPECT_LT(simulate_pools(machine, work, {50e-9, 4e-6, 3e-6}).seconds, 1.2 * least);
}

}  // namespace
}  // namespace taihu::model
