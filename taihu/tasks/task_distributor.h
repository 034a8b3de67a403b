// SPDX-License-Identifier: Apache-2.0
// A master of tasks for one scope group: the global one, which owns the counter, or the one of a region
// (supernode), which takes batches from the global one. It is an object that the node process serves beside
// its work; nobody is dedicated to it.
//
// Rounds: round n+1 opens when all children have ended round n. A request that comes earlier waits in
// `waiting_`. Batches are guided: each process gets its share of a fraction of what remains, so that few ids
// lie idle at the end, but at least what its waiting members can take at once.
// Source: He et al. 2017, section 5.5 (global, regional and process level, prefetching).
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

class TaskDistributor : public TaskSupplier {
 public:
  /// For `children` levels directly below, with `processes` node processes in all. `above` is null for the
  /// global master; else it must outlive this object.
  TaskDistributor(int children, int processes, TaskSupplier* above) noexcept
      : children_(children), processes_(processes), above_(above) {}

  /// Any thread.
  void ask(const TaskRequest& request, TaskAnswer answer) override;

  /// Largest batch of one process, unless it is the only one.
  static constexpr std::int64_t largest_batch = 64;

 private:
  struct Waiting {
    TaskRequest request;
    TaskAnswer answer;
  };
  struct Due {
    TaskAnswer answer;
    TaskReply reply;
  };
  enum class Fate { answered, waits, waits_for_tasks, waits_for_round };

  void child_ended(const TaskRequest& request, const TaskAnswer& answer);
  void advance(std::unique_lock<std::mutex>& lock);
  Fate decide(const TaskRequest& request, TaskReply* reply);
  void open(std::int64_t round, std::int64_t total, TaskRange range, bool last);
  TaskRange grant(const TaskRequest& request);
  std::int64_t batch(const TaskRequest& request) const noexcept;
  void ask_above(std::unique_lock<std::mutex>& lock, const TaskRequest& wish);
  void above_answered(const TaskRequest& asked, const TaskReply& reply);

  const int children_;
  const int processes_;
  TaskSupplier* const above_;

  std::mutex mutex_;  // guards all below; not held while calling others
  std::int64_t round_ = 0;
  bool open_ = false;
  std::int64_t total_ = 0;
  int ended_children_ = 0;
  std::deque<TaskRange> ranges_;  // not granted yet; never holds an empty range
  std::int64_t remaining_ = 0;    // sum of their sizes
  std::int64_t last_batch_ = 0;   // size of the latest range from above
  bool last_ = false;             // nothing more comes from above in this round
  bool asking_ = false;           // a request to the level above is under way
  std::vector<Waiting> waiting_;  // in order of arrival
};

}  // namespace taihu::tasks
