// SPDX-License-Identifier: Apache-2.0
// Requests and answers of the task hierarchy as messages between node processes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "taihu/tasks/task_supplier.h"

namespace taihu::tasks {

/// Names a master in its node process.
struct TaskAddress {
  std::int32_t scope = 0;
  std::int32_t first_rank = 0;  ///< of the group
  std::int32_t level = 0;       ///< 0: global master, 1: master of the region of the process that is asked

  auto operator<=>(const TaskAddress&) const = default;
};

std::vector<std::byte> encode(const TaskAddress& address, const TaskRequest& request);
std::vector<std::byte> encode(const TaskReply& reply);

/// Nothing when the bytes are no such message (of another program or version).
std::optional<std::pair<TaskAddress, TaskRequest>> decode_request(const std::vector<std::byte>& bytes);
std::optional<TaskReply> decode_reply(const std::vector<std::byte>& bytes);

}  // namespace taihu::tasks
