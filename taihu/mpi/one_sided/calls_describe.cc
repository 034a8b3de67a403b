// SPDX-License-Identifier: Apache-2.0
// Names and hints of windows.
#include <cstring>

#include "taihu/mpi/one_sided/window_call.h"
#include "taihu/mpi/one_sided/window_hints.h"

using namespace taihu::mpi;

MPI_CALL(int, Win_set_name, (MPI_Win win, const char* win_name)) {
  return on_window("MPI_Win_set_name", win, [&](Rank&, Window& window) {
    require(win_name != nullptr, MPI_ERR_ARG, "the name is null");
    window.name.assign(win_name, strnlen(win_name, MPI_MAX_OBJECT_NAME - 1));
  });
}

MPI_CALL(int, Win_get_name, (MPI_Win win, char* win_name, int* resultlen)) {
  return on_window("MPI_Win_get_name", win, [&](Rank&, Window& window) {
    std::memcpy(win_name, window.name.c_str(), window.name.size() + 1);
    *resultlen = static_cast<int>(window.name.size());
  });
}

MPI_CALL(int, Win_set_info, (MPI_Win win, MPI_Info info)) {
  return on_window("MPI_Win_set_info", win, [&](Rank& rank, Window& window) {
    update_window_hints(window.hints, entries_of(rank, info));
  });
}

MPI_CALL(int, Win_get_info, (MPI_Win win, MPI_Info* info_used)) {
  return on_window("MPI_Win_get_info", win, [&](Rank&, Window& window) {
    *info_used = handle_of<MPI_Info>(new Info(Info::Entries(window.hints.begin(), window.hints.end())));
  });
}
