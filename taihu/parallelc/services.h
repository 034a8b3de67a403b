// SPDX-License-Identifier: Apache-2.0
// What the ranks of a node process use together: locks, tasks, cores.
#pragma once

#include "taihu/message/endpoint.h"
#include "taihu/tasks/lock_service.h"
#include "taihu/tasks/task_service.h"

namespace taihu::parallelc {

/// Made once per node process before its ranks run. Any thread may use the members.
struct SharedServices {
  SharedServices(message::Node& node, int threads_per_rank) : locks(node), tasks(node, threads_per_rank) {}

  tasks::LockService locks;
  tasks::TaskService tasks;
  int node_ranks = 1;  ///< ranks on this operating-system node
  int cores = 1;       ///< that they share
};

}  // namespace taihu::parallelc
