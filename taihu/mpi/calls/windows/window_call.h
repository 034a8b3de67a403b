// SPDX-License-Identifier: Apache-2.0
// The guard of MPI calls on windows, as those in call.h.
#pragma once

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/windows/window.h"

namespace taihu::mpi::windows {

/// body(Rank&, Window&); failures go to the window's error handler.
template <class Body>
inline __attribute__((always_inline)) int on_window(const char* call, MPI_Win handle, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  Window* const window = rank.find<Window>(handle);
  return detail::guarded(
      [&] {
        require(window != nullptr, MPI_ERR_WIN, "the window is MPI_WIN_NULL or not valid");
        body(rank, *window);
      },
      [&](const CallError& error) {
        return window != nullptr ? handle_error(rank, call, *window, error)
                                 : handle_error(rank, call, static_cast<Communicator*>(nullptr), error);
      });
}

}  // namespace taihu::mpi::windows
