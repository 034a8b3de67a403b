// SPDX-License-Identifier: Apache-2.0
// What the levels of the task hierarchy say to each other: pool of a node process -> master of its region ->
// global master. Each level knows only the one above it, as a TaskSupplier.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taihu::tasks {

/// Task ids [first, end).
struct TaskRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  std::int64_t size() const noexcept { return end - first; }
};

/// From a level to the one above.
struct TaskRequest {
  enum class Kind : std::int32_t {
    take,      ///< give me ids of `round`; opens the round when all have ended the one before it
    ended,     ///< all members below me have been told that `round` has no more tasks
    completed  ///< `completed` of `round` are done: record them. To the global master alone
  };

  Kind kind = Kind::take;
  std::int32_t processes = 1;  ///< node processes below the sender, itself included
  std::int64_t workers = 1;    ///< members that take tasks in each of them
  std::int64_t round = 0;      ///< counts from 1
  std::int64_t total = 0;      ///< tasks of the round, as the sender sees it
  std::int64_t wanted = 0;     ///< members below the sender that wait for a task now
  std::string file = {};       ///< checkpoint file of the round as the program names it; empty: none
  std::string folder = {};     ///< that a relative name of it begins in
  std::vector<TaskRange> completed = {};
};

/// The answer to `take`. (The answer to `ended` has no content, that to `completed` only the state: granted
/// when they are on the disk.)
struct TaskReply {
  enum class State : std::int32_t {
    granted,       ///< `range` is yours, empty only together with `last`
    mismatch,      ///< the round is under way with another total or file, see `total` and `text`
    file_refused,  ///< why the checkpoint file cannot be used: `text`
    refused        ///< the sender is not in step with this level: a defect
  };

  State state = State::granted;
  std::int32_t last = 0;  ///< 1: no more ids in this round
  TaskRange range;
  std::int64_t total = 0;
  std::string text = {};
};

using TaskAnswer = std::function<void(const TaskReply&)>;

class TaskSupplier {
 public:
  virtual ~TaskSupplier() = default;

  /// Calls `answer` once, from this call or later from another thread, with nothing locked. Never waits. A
  /// sender asks for a round only after its `ended` of the round before was passed to this function.
  virtual void ask(const TaskRequest& request, TaskAnswer answer) = 0;
};

}  // namespace taihu::tasks
