// SPDX-License-Identifier: Apache-2.0
// Performance variables: counters that always run. Each handle counts from its allocation or last reset.
#include "taihu/mpi/calls/tools/tool_call.h"

namespace taihu::mpi::tools {
namespace {

ToolSession& session_of(Tools& tools, MPI_T_pvar_session session) {
  return found(tools.sessions, session, MPI_T_ERR_INVALID_SESSION);
}

CounterHandle& counter_of(Tools& tools, MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return found(session_of(tools, session).counters, handle, MPI_T_ERR_INVALID_HANDLE);
}

/// Gives the count so far.
void read(Rank& rank, const CounterHandle& counter, void* buf) {
  require_results(buf);
  const unsigned long long value = value_of(*counter.variable, rank) - counter.base;
  std::memcpy(buf, &value, sizeof value);
}

void reset(Rank& rank, CounterHandle& counter) {
  counter.base = value_of(*counter.variable, rank);
}

/// Starting and stopping: counters always run. For all handles at once those are passed over.
void refuse_switching(Tools& tools, MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  session_of(tools, session);
  if (handle == MPI_T_PVAR_ALL_HANDLES) return;
  counter_of(tools, session, handle);
  throw CallError(MPI_T_ERR_PVAR_NO_STARTSTOP, "the counter always runs");
}

}  // namespace
}  // namespace taihu::mpi::tools

using namespace taihu::mpi;
using namespace taihu::mpi::tools;

MPI_CALL(int, T_pvar_get_num, (int* num_pvar)) {
  return on_started_tools("MPI_T_pvar_get_num", [&](Rank&, Tools&) {
    require_results(num_pvar);
    *num_pvar = static_cast<int>(performance_variables().size());
  });
}

MPI_CALL(int, T_pvar_get_info,
         (int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
          MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
          int* atomic)) {
  return on_started_tools("MPI_T_pvar_get_info", [&](Rank&, Tools&) {
    const PerformanceVariable& variable = at(performance_variables(), pvar_index);
    give_text(name, name_len, variable.name);
    give(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    give(var_class, MPI_T_PVAR_CLASS_COUNTER);
    give(datatype, MPI_UNSIGNED_LONG_LONG);
    give(enumtype, MPI_T_ENUM_NULL);
    give_text(desc, desc_len, variable.description);
    give(bind, MPI_T_BIND_NO_OBJECT);
    give(readonly, 0);
    give(continuous, 1);
    give(atomic, 0);
  });
}

MPI_CALL(int, T_pvar_get_index, (const char* name, int var_class, int* pvar_index)) {
  return on_started_tools("MPI_T_pvar_get_index", [&](Rank&, Tools&) {
    require_results(name, pvar_index);
    require(var_class == MPI_T_PVAR_CLASS_COUNTER, MPI_T_ERR_INVALID_NAME, "all variables are counters");
    *pvar_index = index_of(performance_variables(), name);
  });
}

MPI_CALL(int, T_pvar_session_create, (MPI_T_pvar_session * session)) {
  return on_started_tools("MPI_T_pvar_session_create", [&](Rank&, Tools& tools) {
    require_results(session);
    *session = enter<MPI_T_pvar_session>(tools.sessions, ToolSession{});
  });
}

MPI_CALL(int, T_pvar_session_free, (MPI_T_pvar_session * session)) {
  return on_started_tools("MPI_T_pvar_session_free", [&](Rank&, Tools& tools) {
    require_results(session);
    session_of(tools, *session);
    tools.sessions.erase(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
  });
}

MPI_CALL(int, T_pvar_handle_alloc,
         (MPI_T_pvar_session session, int pvar_index, void* /* there are none bound to objects */,
          MPI_T_pvar_handle* handle, int* count)) {
  return on_started_tools("MPI_T_pvar_handle_alloc", [&](Rank& rank, Tools& tools) {
    ToolSession& tool = session_of(tools, session);
    require_results(handle, count);
    const PerformanceVariable& variable = at(performance_variables(), pvar_index);
    *handle = enter<MPI_T_pvar_handle>(tool.counters, CounterHandle{&variable, value_of(variable, rank)});
    *count = 1;
  });
}

MPI_CALL(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle* handle)) {
  return on_started_tools("MPI_T_pvar_handle_free", [&](Rank&, Tools& tools) {
    require_results(handle);
    counter_of(tools, session, *handle);
    session_of(tools, session).counters.erase(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
  });
}

MPI_CALL(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return on_started_tools("MPI_T_pvar_start",
                          [&](Rank&, Tools& tools) { refuse_switching(tools, session, handle); });
}

MPI_CALL(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return on_started_tools("MPI_T_pvar_stop",
                          [&](Rank&, Tools& tools) { refuse_switching(tools, session, handle); });
}

MPI_CALL(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf)) {
  return on_started_tools("MPI_T_pvar_read", [&](Rank& rank, Tools& tools) {
    read(rank, counter_of(tools, session, handle), buf);
  });
}

MPI_CALL(int, T_pvar_write, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf)) {
  return on_started_tools("MPI_T_pvar_write", [&](Rank& rank, Tools& tools) {
    CounterHandle& counter = counter_of(tools, session, handle);
    require_results(buf);
    unsigned long long value;
    std::memcpy(&value, buf, sizeof value);
    counter.base = value_of(*counter.variable, rank) - value;
  });
}

MPI_CALL(int, T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  return on_started_tools("MPI_T_pvar_reset", [&](Rank& rank, Tools& tools) {
    if (handle == MPI_T_PVAR_ALL_HANDLES) {
      for (auto& [address, counter] : session_of(tools, session).counters) reset(rank, *counter);
    } else {
      reset(rank, counter_of(tools, session, handle));
    }
  });
}

MPI_CALL(int, T_pvar_readreset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf)) {
  return on_started_tools("MPI_T_pvar_readreset", [&](Rank&, Tools& tools) {
    counter_of(tools, session, handle);
    require_results(buf);
    throw CallError(MPI_T_ERR_PVAR_NO_ATOMIC, "read the counter and reset it");
  });
}
