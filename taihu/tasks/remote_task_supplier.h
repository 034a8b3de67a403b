// SPDX-License-Identifier: Apache-2.0
// A master of tasks in another node process. Whoever asks goes on working; the answer comes on whatever
// thread brings it. One request is under way at a time, so that they reach the master in order.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/tasks/task_message.h"
#include "taihu/tasks/task_supplier.h"
#include "taihu/threads/waiting.h"

namespace taihu::tasks {

class RemoteTaskSupplier : public TaskSupplier {
 public:
  RemoteTaskSupplier(message::Node& node, int process, TaskAddress address)
      : node_(node), process_(process), address_(address) {}
  void ask(const TaskRequest& request, TaskAnswer answer) override;

  /// Waits until all requests are answered; call before the object ends.
  void drain();

 private:
  struct Item {
    TaskRequest request;
    TaskAnswer answer;
  };
  void send_first();
  void answered(const std::vector<std::byte>& bytes);

  message::Node& node_;
  const int process_;
  const TaskAddress address_;

  std::mutex mutex_;
  std::deque<Item> items_;     // the first is under way
  threads::Doorbell drained_;  // rung when the last request is answered
};

}  // namespace taihu::tasks
