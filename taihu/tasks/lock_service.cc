// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/lock_service.h"

#include <cstring>

#include "taihu/base/error.h"

namespace taihu::tasks {

using threads::LockName;
using threads::LockOwner;
using threads::LockResult;

namespace {

constexpr std::uint64_t array_scope = 4;  // behind the process scopes

std::uint64_t key_of(std::uint64_t scope, int first_rank) noexcept {
  return scope << 32 | static_cast<std::uint32_t>(first_rank);
}

void answer_with(message::ServiceCall& call, LockResult result) {
  call.answer(&result, sizeof result);
}

}  // namespace

struct LockService::Request {
  enum class Operation : std::uint32_t { lock, try_lock, unlock };

  LockName name;
  LockOwner owner;
  Operation operation = Operation::lock;
};

LockService::LockService(message::Node& node) : node_(node) {
  node.serve(message::Service::lock,
             [this](std::shared_ptr<message::ServiceCall> call) { handle(std::move(call)); });
}

LockGroup LockService::group(launch::Scope scope, int rank) const noexcept {
  const int first = node_.layout().group_start(scope, rank);
  return {key_of(static_cast<std::uint64_t>(scope), first), node_.layout().process_of(first)};
}

LockGroup LockService::array_group(int rank) const noexcept {
  return {key_of(array_scope, rank), node_.process()};
}

LockResult LockService::lock(LockGroup group, int id, LockOwner owner, threads::WhileWaiting meanwhile) {
  if (group.home == node_.process()) return table_.lock({group.key, id}, owner, meanwhile);
  return call_home(group.home, {{group.key, id}, owner, Request::Operation::lock});
}

LockResult LockService::try_lock(LockGroup group, int id, LockOwner owner) {
  if (group.home == node_.process()) return table_.try_lock({group.key, id}, owner);
  return call_home(group.home, {{group.key, id}, owner, Request::Operation::try_lock});
}

LockResult LockService::unlock(LockGroup group, int id, LockOwner owner) {
  if (group.home == node_.process()) return table_.unlock({group.key, id}, owner);
  return call_home(group.home, {{group.key, id}, owner, Request::Operation::unlock});
}

LockResult LockService::call_home(int home, const Request& request) {
  const std::vector<std::byte> answer = node_.call(home, message::Service::lock, &request, sizeof request);
  LockResult result{};
  check_input(answer.size() == sizeof result,
              "node process " + std::to_string(home) + " answers a lock request with " +
                  std::to_string(answer.size()) +
                  " bytes (another version of this software); install one version");
  std::memcpy(&result, answer.data(), sizeof result);
  return result;
}

void LockService::handle(std::shared_ptr<message::ServiceCall> call) {
  Request request;
  if (call->arguments().size() != sizeof request) {
    call->answer(nullptr, 0);  // the caller says what is wrong
    return;
  }
  std::memcpy(&request, call->arguments().data(), sizeof request);
  switch (request.operation) {
    case Request::Operation::lock:
      table_.lock_later(request.name, request.owner,
                        [call](LockResult result) { answer_with(*call, result); });
      return;
    case Request::Operation::try_lock:
      answer_with(*call, table_.try_lock(request.name, request.owner));
      return;
    case Request::Operation::unlock:
      answer_with(*call, table_.unlock(request.name, request.owner));
      return;
  }
  call->answer(nullptr, 0);
}

}  // namespace taihu::tasks
