// SPDX-License-Identifier: Apache-2.0
// A master of tasks for one scope group: the global one, which owns the counter, or the one of a region
// (supernode), which takes batches from the global one. It is an object that the node process serves next to
// its work; nobody is dedicated to it.
//
// Rounds: round n+1 opens when all children have ended round n. A request that comes earlier waits in
// `waiting_`. Batches are guided: each process gets its share of a fraction of what remains, so that few ids
// lie idle at the end, but at least what its waiting members can take at once. When fewer ids than two for
// each member remain, nobody gets more than that: an id that lies ready in one process is missing in another,
// whose member ends without it and lets all wait for one task more.
//
// A round may have a checkpoint file: the global master hands out only what is not complete in it, and
// records what members have completed (task_recorder.h).
// Source: He et al. 2017, section 5.5 (global, regional and process level, prefetching).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/tasks/task_recorder.h"
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

  struct Progress {
    std::int64_t round = 0;  ///< 0: none is open
    std::int64_t total = 0;
    std::int64_t complete_before = 0;  ///< in its checkpoint file when it was opened
    std::int64_t granted = 0;          ///< to the level below, without those
    std::int64_t opened_ns = 0;        ///< now_ns
  };
  /// Of the open round. Any thread.
  Progress progress();

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
  bool open_with_file(const TaskRequest& request, TaskReply* reply);
  void open(const TaskRequest& request, const std::vector<TaskRange>& ranges, bool last);
  void record(const TaskRequest& request, const TaskAnswer& answer);
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
  std::string file_;                        // empty: none
  std::unique_ptr<TaskRecorder> recorder_;  // of the global master, when there is a file
  std::int64_t to_grant_ = 0;               // of the round when it was opened
  std::int64_t opened_ns_ = 0;              // now_ns
  int ended_children_ = 0;
  std::deque<TaskRange> ranges_;  // not granted yet; never holds an empty range
  std::int64_t remaining_ = 0;    // sum of their sizes
  std::int64_t last_batch_ = 0;   // size of the latest range from above, beyond what was waited for
  bool last_ = false;             // nothing more comes from above in this round
  bool asking_ = false;           // a request to the level above is under way
  std::vector<Waiting> waiting_;  // in order of arrival
};

}  // namespace taihu::tasks
