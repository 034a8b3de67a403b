// SPDX-License-Identifier: Apache-2.0
// Start and end of the tool information interface, and enumerations, of which there are none: no variable has
// one.
#include "taihu/mpi/calls/tools/tool_call.h"

using namespace taihu::mpi;
using namespace taihu::mpi::tools;

MPI_CALL(int, T_init_thread, (int required, int* provided)) {
  return on_tools("MPI_T_init_thread", [&](Rank&, Tools& tools) {
    require(required == MPI_THREAD_SINGLE || required == MPI_THREAD_FUNNELED ||
                required == MPI_THREAD_SERIALIZED || required == MPI_THREAD_MULTIPLE,
            MPI_T_ERR_INVALID, "the required thread level is unknown");
    require_results(provided);
    ++tools.starts;
    *provided = MPI_THREAD_MULTIPLE;
  });
}

MPI_CALL(int, T_finalize, (void)) {
  return on_started_tools("MPI_T_finalize", [&](Rank&, Tools& tools) {
    if (--tools.starts == 0) tools.clear();
  });
}

MPI_CALL(int, T_enum_get_info, (MPI_T_enum, int*, char*, int*)) {
  return on_started_tools("MPI_T_enum_get_info", [&](Rank&, Tools&) {
    throw CallError(MPI_T_ERR_INVALID_HANDLE, "no variable has an enumeration");
  });
}

MPI_CALL(int, T_enum_get_item, (MPI_T_enum, int, int*, char*, int*)) {
  return on_started_tools("MPI_T_enum_get_item", [&](Rank&, Tools&) {
    throw CallError(MPI_T_ERR_INVALID_HANDLE, "no variable has an enumeration");
  });
}
