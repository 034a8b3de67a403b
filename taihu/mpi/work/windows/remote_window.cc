// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/remote_window.h"

#include <cstring>
#include <utility>

#include "taihu/message/wire/wire.h"

namespace taihu::mpi::windows {
namespace {

/// More than this under way makes an origin wait, so that a flood of puts does not fill the memory.
constexpr std::uint64_t most_pending_bytes = std::uint64_t{16} << 20;

std::vector<std::byte> assemble(WindowCall& call) {
  const std::size_t data_at = runs_at + aligned_to_16(call.runs.size() * sizeof(Run));
  call.head.runs = static_cast<std::uint32_t>(call.runs.size());
  call.head.data_at = static_cast<std::uint32_t>(data_at);
  std::vector<std::byte> bytes(data_at + call.data_bytes);
  std::memcpy(bytes.data(), &call.head, sizeof call.head);
  if (!call.runs.empty())
    std::memcpy(bytes.data() + runs_at, call.runs.data(), call.runs.size() * sizeof(Run));
  if (call.data_bytes != 0) std::memcpy(bytes.data() + data_at, call.data, call.data_bytes);
  return bytes;
}

/// What a call under way must know when its answer comes.
struct Expectation {
  Window* window;
  Target* target;
  std::uint64_t charge;
  std::function<void(const std::byte*)> take;
  std::shared_ptr<RequestParts> parts;
};

void answered(Expectation& expected, const std::vector<std::byte>& answer) {
  Window& window = *expected.window;
  AnswerHead head;
  std::memcpy(&head, answer.data(), sizeof head);
  if (head.error != MPI_SUCCESS) {
    int none = MPI_SUCCESS;
    if (expected.parts != nullptr)
      expected.parts->error.compare_exchange_strong(none, head.error);
    else
      window.remote_error.compare_exchange_strong(none, head.error);
  } else if (expected.take) {
    expected.take(answer.data() + sizeof head);
  }
  const bool awaited = static_cast<bool>(expected.take);
  message::Endpoint& endpoint = window.endpoint();
  window.pending_bytes.fetch_sub(expected.charge, std::memory_order_relaxed);
  if (expected.parts != nullptr) expected.parts->unanswered.fetch_sub(1, std::memory_order_release);
  if (awaited) expected.target->awaited.fetch_sub(1, std::memory_order_release);
  expected.target->pending.fetch_sub(1, std::memory_order_release);
  // Last: the window may be freed now.
  window.pending.fetch_sub(1, std::memory_order_release);
  endpoint.doorbell().ring();
}

CallHead head_of(Window& window, const Target& target, WindowAction action) {
  CallHead head;
  head.action = action;
  head.member = static_cast<std::uint32_t>(window.communicator->rank);
  head.exposure = target.remote;
  return head;
}

void start_notice(Window& window, Target& target, WindowAction action, LockKind kind = LockKind::shared) {
  WindowCall call;
  call.head.action = action;
  call.head.lock_kind = kind;
  start_call(window, target, std::move(call));
}

}  // namespace

std::size_t ordered_data_bytes(std::size_t runs) noexcept {
  return message::eager_payload_bytes - runs_at - aligned_to_16(runs * sizeof(Run));
}

void start_call(Window& window, Target& target, WindowCall call) {
  call.head.member = static_cast<std::uint32_t>(window.communicator->rank);
  call.head.exposure = target.remote;
  const std::vector<std::byte> arguments = assemble(call);
  const std::uint64_t charge = arguments.size() + (call.take ? call.head.bytes : 0);
  if (window.pending_bytes.load(std::memory_order_relaxed) > most_pending_bytes) {
    window.endpoint().wait_until(
        [&] { return window.pending_bytes.load(std::memory_order_relaxed) <= most_pending_bytes; });
  }
  window.pending_bytes.fetch_add(charge, std::memory_order_relaxed);
  window.pending.fetch_add(1, std::memory_order_relaxed);
  target.pending.fetch_add(1, std::memory_order_relaxed);
  if (call.take) target.awaited.fetch_add(1, std::memory_order_relaxed);
  if (call.parts != nullptr) call.parts->unanswered.fetch_add(1, std::memory_order_relaxed);
  auto expected = std::make_shared<Expectation>(
      Expectation{&window, &target, charge, std::move(call.take), std::move(call.parts)});
  window.owner.node().begin_call(target.process, message::Service::window, arguments.data(), arguments.size(),
                                 [expected](std::vector<std::byte> answer) { answered(*expected, answer); });
}

void remote_lock(Window& window, Target& target, LockKind kind) {
  CallHead head = head_of(window, target, WindowAction::lock);
  head.lock_kind = kind;
  window.owner.node().call(target.process, message::Service::window, &head, sizeof head);
}

void remote_unlock(Window& window, Target& target, LockKind kind) {
  start_notice(window, target, WindowAction::unlock, kind);
}

void remote_post(Window& window, Target& target) {
  start_notice(window, target, WindowAction::post);
}

void remote_complete(Window& window, Target& target) {
  start_notice(window, target, WindowAction::complete);
}

}  // namespace taihu::mpi::windows
