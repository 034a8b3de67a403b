// SPDX-License-Identifier: Apache-2.0
// The origin's side of calls to other node processes about windows. Calls are started and counted in the
// target's and the window's `pending`; nothing here waits, except for locks and when very much is under way.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "taihu/mpi/work/windows/window.h"
#include "taihu/mpi/work/windows/wire_format.h"

namespace taihu::mpi::windows {

/// The parts of a request-based access that are not answered yet.
struct RequestParts {
  std::atomic<std::uint32_t> unanswered{0};
  std::atomic<int> error{MPI_SUCCESS};
};

/// A call to be started. What it points to is copied when it starts.
struct WindowCall {
  CallHead head;
  std::vector<Run> runs;
  const void* data = nullptr;
  std::size_t data_bytes = 0;
  /// Takes the data of the answer; runs on the thread that brings it, must not block. Null: there are none.
  std::function<void(const std::byte* data)> take;
  std::shared_ptr<RequestParts> parts;  ///< null: completed by synchronisation only
};

/// Data of an accumulate that fit into one call together with `runs` runs. Calls up to that size arrive in
/// the order in which they were started, as accumulates must.
std::size_t ordered_data_bytes(std::size_t runs) noexcept;

void start_call(Window& window, Target& target, WindowCall call);

/// Waits until it is granted.
void remote_lock(Window& window, Target& target, LockKind kind);
void remote_unlock(Window& window, Target& target, LockKind kind);
void remote_post(Window& window, Target& target);
void remote_complete(Window& window, Target& target);

}  // namespace taihu::mpi::windows
