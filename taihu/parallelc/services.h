// SPDX-License-Identifier: Apache-2.0
// What the ranks of a node process use together: locks and tasks.
#pragma once

#include "taihu/message/endpoint.h"
#include "taihu/tasks/lock_service.h"
#include "taihu/tasks/task_service.h"

namespace taihu::parallelc {

/// Made once per node process before its ranks run. Any thread may use the members.
struct SharedServices {
  SharedServices(message::Node& message_node, int threads_per_rank)
      : node(message_node), locks(message_node), tasks(message_node, threads_per_rank) {}

  message::Node& node;
  tasks::LockService locks;
  tasks::TaskService tasks;
};

}  // namespace taihu::parallelc
