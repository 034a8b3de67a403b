// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/remote_task_supplier.h"

#include <utility>

namespace taihu::tasks {

void RemoteTaskSupplier::ask(const TaskRequest& request, TaskAnswer answer) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({request, std::move(answer)});
    if (items_.size() > 1) return;
  }
  send_first();
}

void RemoteTaskSupplier::drain() {
  drained_.wait([&] {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  });
}

void RemoteTaskSupplier::send_first() {
  std::vector<std::byte> message;
  {
    const std::lock_guard lock(mutex_);
    message = encode(address_, items_.front().request);
  }
  node_.begin_call(process_, message::Service::task, message.data(), message.size(),
                   [this](const std::vector<std::byte>& bytes) { answered(bytes); });
}

void RemoteTaskSupplier::answered(const std::vector<std::byte>& bytes) {
  TaskReply refused;
  refused.state = TaskReply::State::refused;
  const TaskReply reply = decode_reply(bytes).value_or(refused);
  TaskAnswer answer;
  {
    const std::lock_guard lock(mutex_);
    answer = std::move(items_.front().answer);
  }
  answer(reply);
  bool more;
  {
    const std::lock_guard lock(mutex_);
    items_.pop_front();
    more = !items_.empty();
    // Rung under the lock: whoever drains may destroy this object once it sees the empty queue.
    if (!more) drained_.ring();
  }
  if (more) send_first();
}

}  // namespace taihu::tasks
