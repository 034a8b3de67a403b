// SPDX-License-Identifier: Apache-2.0
// Dynamic tasks of a job: get_task_id for every scope. Builds the hierarchy of each scope group and connects
// its levels.
//
//   members -> TaskPool of their node process -> [master of the region] -> global master of the group
//
// The global master lives in the node process of the group's first rank; a region is a supernode, its master
// lives in the first node process whose first rank lies there. Regions exist when the group has several, each
// of them shared by node processes. A group inside one node process needs no message. Source: He et al. 2017,
// section 5.5.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/tasks/remote_task_supplier.h"
#include "taihu/tasks/task_distributor.h"
#include "taihu/tasks/task_pool.h"
#include "taihu/tasks/task_progress.h"

namespace taihu::tasks {

class TaskService {
 public:
  /// Registers the service; before any rank of this node process runs. `array_size`: accelerator threads of
  /// each rank. `node` must outlive this object.
  /// From `deadline_ns` (now_ns) on no task is handed out.
  TaskService(message::Node& node, int array_size, std::int64_t deadline_ns = no_deadline);
  TaskService(const TaskService&) = delete;
  TaskService& operator=(const TaskService&) = delete;

  /// The next task of [0, total) for the caller among the members of `rank`'s group, or no_task. See TaskPool
  /// for who is a member and when it waits. `member`: index of the accelerator thread, or process_code.
  /// `rank` lives in this node process.
  std::int64_t take(launch::Scope scope, int rank, int member, const TaskRound& wanted, std::string* problem,
                    threads::WhileWaiting meanwhile = {}) {
    return ranks_[static_cast<std::size_t>(rank - first_rank_)].pools[static_cast<std::size_t>(scope)]->take(
        rank, member, wanted, problem, meanwhile);
  }

  /// The same among the accelerator threads of `rank` (or for its process code alone).
  std::int64_t take_in_array(int rank, int member, const TaskRound& wanted, std::string* problem,
                             threads::WhileWaiting meanwhile = {}) {
    return ranks_[static_cast<std::size_t>(rank - first_rank_)].pools[array_scope]->take(rank, member, wanted,
                                                                                         problem, meanwhile);
  }

  /// All accelerator threads of `rank` have returned from a kernel: those that took no part in a round which
  /// has ended for the others are through with it, too.
  void kernel_ended(int rank) {
    for (TaskPool* pool : ranks_[static_cast<std::size_t>(rank - first_rank_)].pools)
      pool->kernel_ended(rank);
  }

  /// An accelerator thread of `rank` has returned from a kernel that others still run. Any of its threads.
  void member_returned(int rank) {
    for (TaskPool* pool : ranks_[static_cast<std::size_t>(rank - first_rank_)].pools) pool->member_returned();
  }

  /// From now on a line on standard error every `seconds` for each round under way whose global master is
  /// here.
  void report_progress(double seconds);

  /// Waits until what this node process said to masters has arrived there, completed tasks on the disk. Call
  /// when all ranks here have ended, before Node::finish; destroy this object after it.
  void finish();

 private:
  static constexpr std::size_t array_scope = 4;  // behind the process scopes
  struct RankPools {
    std::array<TaskPool*, array_scope + 1> pools{};
  };

  struct Hierarchy;
  void build_group(launch::Scope scope, int first_rank_of_group);
  void build_array_pool(int rank);
  std::vector<TaskProgress::Group> groups_served() const;
  TaskSupplier& supplier(int process, TaskAddress address);
  void handle(std::shared_ptr<message::ServiceCall> call);

  message::Node& node_;
  const int array_size_;
  const std::int64_t deadline_ns_;
  int first_rank_ = 0;
  int end_rank_ = 0;
  std::vector<RankPools> ranks_;  // by local index

  // The threads of each line answer to what stands above it, and end before that does.
  std::vector<std::unique_ptr<TaskPool>> pools_;
  std::map<TaskAddress, std::unique_ptr<TaskDistributor>> masters_;  // not changed after construction
  std::vector<std::unique_ptr<TaskDistributor>> array_masters_;
  std::vector<std::unique_ptr<RemoteTaskSupplier>> remote_;
  std::unique_ptr<TaskProgress> progress_;  // null: nobody wants it
};

}  // namespace taihu::tasks
