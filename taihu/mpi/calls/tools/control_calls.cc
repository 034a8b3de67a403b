// SPDX-License-Identifier: Apache-2.0
// Control variables. Their values come from the environment before the job begins and stay.
#include "taihu/mpi/calls/tools/tool_call.h"

using namespace taihu::mpi;
using namespace taihu::mpi::tools;

MPI_CALL(int, T_cvar_get_num, (int* num_cvar)) {
  return on_started_tools("MPI_T_cvar_get_num", [&](Rank&, Tools&) {
    require_results(num_cvar);
    *num_cvar = static_cast<int>(control_variables().size());
  });
}

MPI_CALL(int, T_cvar_get_info,
         (int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
          MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope)) {
  return on_started_tools("MPI_T_cvar_get_info", [&](Rank&, Tools&) {
    const ControlVariable& variable = at(control_variables(), cvar_index);
    give_text(name, name_len, variable.name);
    give(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    give(datatype, MPI_UNSIGNED_LONG);
    give(enumtype, MPI_T_ENUM_NULL);
    give_text(desc, desc_len, variable.description);
    give(bind, MPI_T_BIND_NO_OBJECT);
    give(scope, MPI_T_SCOPE_READONLY);
  });
}

MPI_CALL(int, T_cvar_get_index, (const char* name, int* cvar_index)) {
  return on_started_tools("MPI_T_cvar_get_index", [&](Rank&, Tools&) {
    require_results(name, cvar_index);
    *cvar_index = index_of(control_variables(), name);
  });
}

MPI_CALL(int, T_cvar_handle_alloc,
         (int cvar_index, void* /* there are none bound to objects */, MPI_T_cvar_handle* handle,
          int* count)) {
  return on_started_tools("MPI_T_cvar_handle_alloc", [&](Rank&, Tools& tools) {
    require_results(handle, count);
    const ControlVariable& variable = at(control_variables(), cvar_index);
    *handle = enter<MPI_T_cvar_handle>(tools.controls, ControlHandle{&variable});
    *count = 1;
  });
}

MPI_CALL(int, T_cvar_handle_free, (MPI_T_cvar_handle * handle)) {
  return on_started_tools("MPI_T_cvar_handle_free", [&](Rank&, Tools& tools) {
    require_results(handle);
    found(tools.controls, *handle, MPI_T_ERR_INVALID_HANDLE);
    tools.controls.erase(*handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
  });
}

MPI_CALL(int, T_cvar_read, (MPI_T_cvar_handle handle, void* buf)) {
  return on_started_tools("MPI_T_cvar_read", [&](Rank& rank, Tools& tools) {
    const ControlHandle& control = found(tools.controls, handle, MPI_T_ERR_INVALID_HANDLE);
    require_results(buf);
    const unsigned long value = taihu::message::tuning_of(rank.node()).*control.variable->value;
    std::memcpy(buf, &value, sizeof value);
  });
}

MPI_CALL(int, T_cvar_write, (MPI_T_cvar_handle handle, const void*)) {
  return on_started_tools("MPI_T_cvar_write", [&](Rank&, Tools& tools) {
    found(tools.controls, handle, MPI_T_ERR_INVALID_HANDLE);
    throw CallError(MPI_T_ERR_CVAR_SET_NEVER, "set the environment variable of this name before the job");
  });
}
