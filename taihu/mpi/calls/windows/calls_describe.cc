// SPDX-License-Identifier: Apache-2.0
// Names and hints of windows.
#include "taihu/mpi/calls/attributes/names.h"
#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/work/windows/window_hints.h"

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

MPI_CALL(int, Win_set_name, (MPI_Win win, const char* win_name)) {
  return on_window("MPI_Win_set_name", win,
                   [&](Rank&, Window& window) { window.name.set(name_from_program(win_name, "win_name")); });
}

MPI_CALL(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen)) {
  // The name of no window may be asked for too (MPI-4.1 section 7.8).
  if (win == MPI_WIN_NULL)
    return on_rank("MPI_Win_get_name",
                   [&](Rank&) { store_name("MPI_WIN_NULL", win_name, "win_name", resultlen); });
  return on_window("MPI_Win_get_name", win, [&](Rank&, Window& window) {
    store_name(window.name.get(), win_name, "win_name", resultlen);
  });
}

MPI_CALL(int, Win_set_info, (MPI_Win win, MPI_Info info)) {
  return on_window("MPI_Win_set_info", win, [&](Rank& rank, Window& window) {
    const Info::Entries entries = entries_of(rank, info);
    window.hints.change([&](WindowHints& hints) { update_window_hints(hints, entries); });
  });
}

MPI_CALL(int, Win_get_info, (MPI_Win win, MPI_Info* info_used)) {
  return on_window("MPI_Win_get_info", win, [&](Rank&, Window& window) {
    require_pointer(info_used, "info_used");
    const WindowHints hints = window.hints.get();
    *info_used = handle_of<MPI_Info>(new Info(Info::Entries(hints.begin(), hints.end())));
  });
}
