// SPDX-License-Identifier: Apache-2.0
// The checkpoint file of get_task_id: which tasks of a round are complete, whoever did them. Numbers are in
// the machine's byte order.
//
//   bytes 0..7    "taihutsk"
//   bytes 8..15   total, number of tasks
//   bytes 16..23  checksum of the 16 bytes before
//   then records of 24 bytes: first, end: the tasks first .. end-1 are complete; checksum of these 16 bytes,
//   with the total as its seed
//
// Records are only appended. A record whose checksum is wrong (torn by the end of its writer or of its
// machine) counts for nothing: its tasks are done again. All have the same size, so those behind it count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "taihu/base/descriptor.h"
#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

/// One thread at a time. While it lives nobody else opens the file, on file systems that have locks.
class TaskFile {
 public:
  /// Reads the file, or makes it when it is missing or empty. Throws Error when it cannot be read and
  /// written, has another total, is no such file, or is used by another job or group.
  TaskFile(const std::string& path, std::int64_t total);

  /// The tasks that were not complete when the file was opened, in order, in the fewest ranges.
  const std::vector<TaskRange>& missing() const noexcept { return missing_; }

  /// Records ranges of complete tasks, on the disk when it returns. Throws Error.
  void append(std::span<const TaskRange> complete);

 private:
  void read(std::int64_t bytes);
  void write_at(std::int64_t offset, const void* data, std::size_t bytes);

  const std::string path_;
  const std::int64_t total_;
  Descriptor file_;
  std::int64_t end_ = 0;  // where the next record goes
  std::vector<TaskRange> missing_;
};

/// `ranges` in order, neighbours and overlapping ones joined.
std::vector<TaskRange> joined(std::vector<TaskRange> ranges);

}  // namespace taihu::tasks
