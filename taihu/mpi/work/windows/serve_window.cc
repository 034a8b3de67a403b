// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/serve_window.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "taihu/message/data/copy.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/work/windows/element_action.h"
#include "taihu/mpi/work/windows/exposure.h"
#include "taihu/mpi/work/windows/wire_format.h"

namespace taihu::mpi::windows {
namespace {

using message::ServiceCall;

template <class Handle>
Handle handle_from(std::uint32_t number) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}

/// The parts of a call.
struct Arguments {
  explicit Arguments(const std::vector<std::byte>& bytes) : all(bytes.data()) {
    std::memcpy(&head, all, sizeof head);
    runs.resize(head.runs);
    if (head.runs != 0) std::memcpy(runs.data(), all + runs_at, head.runs * sizeof(Run));
    if (head.runs == 0) runs.push_back({0, 0, static_cast<std::uint32_t>(head.bytes), 1});
  }
  Exposure& exposure() const noexcept {
    return *reinterpret_cast<Exposure*>(static_cast<std::uintptr_t>(head.exposure));
  }
  const std::byte* data() const noexcept { return all + head.data_at; }

  const std::byte* all;
  CallHead head;
  std::vector<Run> runs;
};

/// Only dynamic windows are checked here: of the others the origin knows the bounds.
bool is_attached(const Arguments& arguments) {
  const Exposure& exposure = arguments.exposure();
  if (!exposure.is_dynamic) return true;
  // Rows of pairs end with padding that need not be there.
  std::size_t padding = 0;
  if (arguments.head.element != 0) {
    const Datatype& element = *predefined_datatype(handle_from<MPI_Datatype>(arguments.head.element));
    padding = static_cast<std::size_t>(element.extent - element.true_extent);
  }
  bool attached = true;
  for_each_block(arguments.runs.data(), arguments.runs.size(), [&](std::int64_t offset, std::uint32_t bytes) {
    const auto address = static_cast<std::uintptr_t>(arguments.head.place + offset);
    attached = attached && exposure.attached.covers(address, bytes - padding);
  });
  return attached;
}

/// visit(address, bytes, offset in the data) for each block.
template <class Visit>
void for_each_place(const Arguments& arguments, Visit&& visit) {
  std::byte* const base = arguments.exposure().base;
  const std::uintptr_t origin =
      reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(arguments.head.place);
  std::size_t done = 0;
  for_each_block(arguments.runs.data(), arguments.runs.size(), [&](std::int64_t offset, std::uint32_t bytes) {
    visit(reinterpret_cast<std::byte*>(origin + static_cast<std::uintptr_t>(offset)), bytes, done);
    done += bytes;
  });
}

/// An answer with room for `bytes` bytes of data.
std::vector<std::byte> make_answer(std::size_t bytes) {
  return std::vector<std::byte>(sizeof(AnswerHead) + bytes);
}

void accumulate(const Arguments& arguments, std::byte* result) {
  const ElementAction action(handle_from<MPI_Op>(arguments.head.operation),
                             *predefined_datatype(handle_from<MPI_Datatype>(arguments.head.element)));
  for_each_place(arguments, [&](std::byte* place, std::size_t bytes, std::size_t done) {
    const std::size_t elements = (bytes + action.extent() - 1) / action.extent();
    action.apply(arguments.exposure().elements, place, arguments.data() + done,
                 result == nullptr ? nullptr : result + done, elements);
  });
}

/// Does what the call asks for; the answer.
std::vector<std::byte> access(const Arguments& arguments) {
  const CallHead& head = arguments.head;
  std::vector<std::byte> answer = make_answer(head.wants_result ? head.bytes : 0);
  std::byte* const result = head.wants_result ? answer.data() + sizeof(AnswerHead) : nullptr;
  if (!is_attached(arguments)) {
    const AnswerHead failed{MPI_ERR_RMA_RANGE};
    std::memcpy(answer.data(), &failed, sizeof failed);
    return answer;
  }
  if (head.action == WindowAction::put) {
    for_each_place(arguments, [&](std::byte* place, std::size_t bytes, std::size_t done) {
      message::copy_bytes(place, arguments.data() + done, bytes);
    });
  } else if (head.action == WindowAction::get) {
    for_each_place(arguments, [&](std::byte* place, std::size_t bytes, std::size_t done) {
      message::copy_bytes(result + done, place, bytes);
    });
  } else if (head.action == WindowAction::accumulate) {
    accumulate(arguments, result);
  } else {
    for_each_place(arguments, [&](std::byte* place, std::size_t bytes, std::size_t) {
      compare_and_swap(arguments.exposure().elements, place, arguments.data(), arguments.data() + bytes,
                       result, bytes);
    });
  }
  return answer;
}

void acknowledge(ServiceCall& call) {
  const AnswerHead done;
  call.answer(&done, sizeof done);
}

void serve(const std::shared_ptr<ServiceCall>& call) {
  const Arguments arguments(call->arguments());
  Exposure& exposure = arguments.exposure();
  switch (arguments.head.action) {
    case WindowAction::put:
    case WindowAction::get:
    case WindowAction::accumulate:
    case WindowAction::compare_and_swap: {
      const std::vector<std::byte> answer = access(arguments);
      return call->answer(answer.data(), answer.size());
    }
    case WindowAction::lock:
      return exposure.lock.acquire(arguments.head.lock_kind, [call] { acknowledge(*call); });
    case WindowAction::unlock:
      exposure.lock.release(arguments.head.lock_kind);
      return acknowledge(*call);
    case WindowAction::post:
      exposure.count(exposure.posts[arguments.head.member]);
      return acknowledge(*call);
    case WindowAction::complete:
      exposure.count(exposure.completions);
      return acknowledge(*call);
  }
}

}  // namespace

void serve_windows(message::Node& node) {
  node.serve(message::Service::window, [](const std::shared_ptr<ServiceCall>& call) { serve(call); });
}

}  // namespace taihu::mpi::windows
