// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_message.h"

#include <cstring>
#include <type_traits>

namespace taihu::tasks {
namespace {

/// The plain values of a message, then the bytes of its texts and lists.
struct RequestHead {
  TaskAddress address;
  TaskRequest::Kind kind;
  std::int32_t processes;
  std::int32_t unused;
  std::int64_t workers, round, total, wanted;
  std::uint64_t file_bytes, folder_bytes, completed;
};

struct ReplyHead {
  TaskReply::State state;
  std::int32_t last;
  TaskRange range;
  std::int64_t total;
  std::uint64_t text_bytes;
};

template <class Head>
std::vector<std::byte> begin(const Head& head) {
  static_assert(std::has_unique_object_representations_v<Head>, "no byte of a message is left to chance");
  const auto* first = reinterpret_cast<const std::byte*>(&head);
  return {first, first + sizeof head};
}

template <class List>
void append(std::vector<std::byte>& bytes, const List& list) {
  const auto* first = reinterpret_cast<const std::byte*>(list.data());
  bytes.insert(bytes.end(), first, first + list.size() * sizeof(typename List::value_type));
}

template <class List>
bool take(const std::byte*& at, std::size_t& left, std::uint64_t count, List* list) {
  if (count > left / sizeof(typename List::value_type)) return false;
  list->resize(count);
  const std::size_t bytes = count * sizeof(typename List::value_type);
  if (bytes > 0) std::memcpy(list->data(), at, bytes);
  at += bytes;
  left -= bytes;
  return true;
}

}  // namespace

std::vector<std::byte> encode(const TaskAddress& address, const TaskRequest& request) {
  std::vector<std::byte> bytes = begin(
      RequestHead{address, request.kind, request.processes, 0, request.workers, request.round, request.total,
                  request.wanted, request.file.size(), request.folder.size(), request.completed.size()});
  append(bytes, request.file);
  append(bytes, request.folder);
  append(bytes, request.completed);
  return bytes;
}

std::vector<std::byte> encode(const TaskReply& reply) {
  std::vector<std::byte> bytes =
      begin(ReplyHead{reply.state, reply.last, reply.range, reply.total, reply.text.size()});
  append(bytes, reply.text);
  return bytes;
}

std::optional<std::pair<TaskAddress, TaskRequest>> decode_request(const std::vector<std::byte>& bytes) {
  RequestHead head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  TaskRequest request{head.kind, head.processes, head.workers, head.round, head.total, head.wanted, {}, {},
                      {}};
  const std::byte* at = bytes.data() + sizeof head;
  std::size_t left = bytes.size() - sizeof head;
  const bool whole = take(at, left, head.file_bytes, &request.file) &&
                     take(at, left, head.folder_bytes, &request.folder) &&
                     take(at, left, head.completed, &request.completed) && left == 0;
  if (!whole) return std::nullopt;
  return std::pair{head.address, std::move(request)};
}

std::optional<TaskReply> decode_reply(const std::vector<std::byte>& bytes) {
  ReplyHead head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  TaskReply reply{head.state, head.last, head.range, head.total, {}};
  const std::byte* at = bytes.data() + sizeof head;
  std::size_t left = bytes.size() - sizeof head;
  if (!take(at, left, head.text_bytes, &reply.text) || left != 0) return std::nullopt;
  return reply;
}

}  // namespace taihu::tasks
