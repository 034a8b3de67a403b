// SPDX-License-Identifier: Apache-2.0
// Dynamic tasks on very many threads, event by event: the hierarchy of taihu/tasks with its rules for batches
// and early requests, beside tasks that are divided beforehand, a single master, and work stealing. No thread
// is simulated that does nothing but wait, and threads of a pool that begin together are one event.
#pragma once

#include <cstdint>

namespace taihu::model {

/// Seconds of each thing that is done one after the other.
struct TaskCosts {
  double take = 50e-9;    ///< a task from the pool of a node process; bench/tasks measures it
  double serve = 4e-6;    ///< a request that a master answers; assumed
  double message = 3e-6;  ///< a message between node processes, one way; assumed
};

struct TaskMachine {
  int processes = 4096;
  int threads = 256;             ///< of each process
  int processes_per_region = 0;  ///< with a master of their own; 0: none, all ask the global master
  std::int64_t workers() const noexcept { return static_cast<std::int64_t>(processes) * threads; }
};

/// Every task takes `mean` seconds, or for `variation` above 0 a log-normal time with that coefficient of
/// variation. The time of task k is a function of k and `seed`.
struct TaskWork {
  std::int64_t tasks_per_thread = 20;
  double mean = 16;
  double variation = 0;
  std::uint64_t seed = 1;
};

struct TaskTime {
  double seconds = 0;  ///< until the last task is done
  std::int64_t tasks = 0;
  std::int64_t master_requests = 0;  ///< that the global master answered; of work stealing: attempts to steal
};

/// The hierarchy of taihu/tasks.
TaskTime simulate_pools(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs);
/// Every thread has its tasks from the beginning.
TaskTime simulate_static(const TaskMachine& machine, const TaskWork& work);
/// Every thread asks one master for each task.
TaskTime simulate_single_master(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs);
/// Every thread begins with its tasks and, when it has none left, takes half of what a random other one has.
/// Nobody tries in vain when nothing is left anywhere (the detection of the end is free).
TaskTime simulate_stealing(const TaskMachine& machine, const TaskWork& work, const TaskCosts& costs);
/// No way to divide the tasks is faster: the work divided by the threads, or the longest task.
double least_seconds(const TaskMachine& machine, const TaskWork& work);

}  // namespace taihu::model
