// SPDX-License-Identifier: Apache-2.0
// Tells the global master which tasks the members of one node process have completed. One report is under
// way at a time; what is completed meanwhile goes into the next one, so their number follows the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

class CompletionReports {
 public:
  /// `master` must outlive this object, and so must what `changed` uses: called, with nothing locked, after
  /// each answer.
  CompletionReports(TaskSupplier& master, std::function<void()> changed)
      : master_(master), changed_(std::move(changed)) {}

  /// The tasks that are added from now on belong to `round`. Only while all() is on the disk.
  void begin_round(std::int64_t round);

  /// A task is complete. Any thread; does not wait.
  void add(std::int64_t id);

  /// A mark for what was added so far, and whether all of that is on the disk (or will never be: problem()).
  std::uint64_t all() const;
  bool recorded(std::uint64_t mark) const;

  /// Why nothing more is recorded; empty: it is.
  std::string problem() const;
  bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }

 private:
  void send(std::unique_lock<std::mutex>& lock);
  void answered(std::uint64_t count, const TaskReply& reply);

  TaskSupplier& master_;
  const std::function<void()> changed_;
  mutable std::mutex mutex_;  // guards all below; not held while calling others
  std::int64_t round_ = 0;
  std::vector<TaskRange> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t recorded_ = 0;
  bool under_way_ = false;
  std::string problem_;
  std::atomic<bool> failed_{false};
};

}  // namespace taihu::tasks
