// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/remote_task_supplier.h"

#include <cstring>
#include <utility>

namespace taihu::tasks {

RemoteTaskSupplier::~RemoteTaskSupplier() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RemoteTaskSupplier::ask(const TaskRequest& request, TaskAnswer answer) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({request, std::move(answer)});
  }
  changed_.notify_all();
}

void RemoteTaskSupplier::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return items_.empty(); });
}

void RemoteTaskSupplier::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !items_.empty(); });
    if (items_.empty()) return;
    const Item item = std::move(items_.front());
    lock.unlock();
    item.answer(call(item.request));
    lock.lock();
    items_.pop_front();
    if (items_.empty()) changed_.notify_all();
  }
}

TaskReply RemoteTaskSupplier::call(const TaskRequest& request) {
  const TaskMessage message{address_, 0, request};
  const std::vector<std::byte> answer =
      node_.call(process_, message::Service::task, &message, sizeof message);
  TaskReply reply;
  if (answer.size() == sizeof reply) {
    std::memcpy(&reply, answer.data(), sizeof reply);
  } else {
    reply.state = TaskReply::State::refused;
  }
  return reply;
}

}  // namespace taihu::tasks
