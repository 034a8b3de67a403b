// SPDX-License-Identifier: Apache-2.0
// What the ranks of a node process use together: locks, tasks, loops, cores.
#pragma once

#include <memory>
#include <span>

#include "taihu/message/endpoint.h"
#include "taihu/parallelc/checkpoint.h"
#include "taihu/parallelc/neighbour_heaps.h"
#include "taihu/parallelc/process.h"
#include "taihu/tasks/lock_service.h"
#include "taihu/tasks/loop_service.h"
#include "taihu/tasks/task_service.h"

namespace taihu::parallelc {

/// Made once per node process before its ranks run. Any thread may use the members.
struct SharedServices {
  SharedServices(message::Node& node, int threads_per_rank, std::int64_t task_deadline_ns)
      : locks(node), tasks(node, threads_per_rank, task_deadline_ns), loops(node) {}

  tasks::LockService locks;
  tasks::TaskService tasks;
  tasks::LoopService loops;
  std::unique_ptr<Checkpoints> checkpoints;         ///< null when the program does not call m_checkpoint
  std::span<Process> processes;                     ///< the ranks of this node process
  bool has_shared_heaps = false;                    ///< other node processes can map the heaps of these ranks
  std::unique_ptr<NeighbourHeaps> neighbour_heaps;  ///< set before any rank runs
  int node_ranks = 1;                               ///< ranks on this operating-system node
  int cores = 1;                                    ///< that they share
};

/// NeighbourHeaps::place for a caller that reads or writes there now; null also while it would overtake puts
/// and gets (Endpoint::may_reach_there).
inline std::byte* reachable_place(const Process& process, const void* address, std::size_t bytes, int rank) {
  const NeighbourHeaps* const heaps = process.services->neighbour_heaps.get();
  if (heaps == nullptr) return nullptr;
  std::byte* const place = heaps->place(process.local_index, address, bytes, rank);
  return place != nullptr && process.endpoint->may_reach_there(rank) ? place : nullptr;
}

}  // namespace taihu::parallelc
