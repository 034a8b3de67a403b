// SPDX-License-Identifier: Apache-2.0
// Error handlers of windows (MPI-3.1 section 8.3.2).
#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/objects/errors/handle_error.h"

namespace taihu::mpi {
namespace {

Subject subject_of(windows::Window& window) {
  if (std::string name = window.name.get(); !name.empty()) return {&window, 0, std::move(name)};
  const std::string ranks = std::to_string(window.size()) + (window.size() == 1 ? " rank" : " ranks");
  return {&window, 0, "a window of " + ranks};
}

}  // namespace

int handle_error(Rank& rank, const char* call, windows::Window& window, const CallError& error) {
  return run_handler(rank, window.errors, subject_of(window), call, error);
}

}  // namespace taihu::mpi

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

MPI_CALL(int, Win_create_errhandler,
         (MPI_Win_errhandler_function * win_errhandler_fn, MPI_Errhandler* errhandler)) {
  return on_rank("MPI_Win_create_errhandler", [&](Rank&) {
    *errhandler = create_handler(ErrorHandler::Use::window, reinterpret_cast<void (*)()>(win_errhandler_fn));
  });
}

MPI_CALL(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler)) {
  return on_window("MPI_Win_set_errhandler", win, [&](Rank& rank, Window& window) {
    replace_handler(window.errors, handler_for(rank, errhandler, ErrorHandler::Use::window));
  });
}

MPI_CALL(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* errhandler)) {
  return on_window("MPI_Win_get_errhandler", win,
                   [&](Rank&, Window& window) { *errhandler = handle_for_program(window.errors); });
}

MPI_CALL(int, Win_call_errhandler, (MPI_Win win, int errorcode)) {
  return on_window("MPI_Win_call_errhandler", win, [&](Rank& rank, Window& window) {
    call_handler(rank, window.errors, taihu::mpi::subject_of(window), "MPI_Win_call_errhandler", errorcode);
  });
}
