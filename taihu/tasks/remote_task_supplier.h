// SPDX-License-Identifier: Apache-2.0
// A master of tasks in another node process. Calls of services wait for their answers, so a thread of its own
// makes them: whoever asks goes on working. It sleeps between requests.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "taihu/message/endpoint.h"
#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

/// Names a master in its node process.
struct TaskAddress {
  std::int32_t scope = 0;
  std::int32_t first_rank = 0;  ///< of the group
  std::int32_t level = 0;       ///< 0: global master, 1: master of the region of the process that is asked

  auto operator<=>(const TaskAddress&) const = default;
};

/// The message between node processes.
struct TaskMessage {
  TaskAddress address;
  std::int32_t unused = 0;
  TaskRequest request;
};

class RemoteTaskSupplier : public TaskSupplier {
 public:
  /// Throws when the system has no thread left.
  RemoteTaskSupplier(message::Node& node, int process, TaskAddress address)
      : node_(node), process_(process), address_(address), thread_([this] { serve(); }) {}
  /// Waits for the answers that are under way.
  ~RemoteTaskSupplier() override;

  void ask(const TaskRequest& request, TaskAnswer answer) override;

  /// Waits until all requests are answered.
  void drain();

 private:
  struct Item {
    TaskRequest request;
    TaskAnswer answer;
  };
  void serve();
  TaskReply call(const TaskRequest& request);

  message::Node& node_;
  const int process_;
  const TaskAddress address_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;  // the first stays until it is answered
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all above
};

}  // namespace taihu::tasks
