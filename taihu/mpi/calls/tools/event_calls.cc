// SPDX-License-Identifier: Apache-2.0
// Events and their sources (MPI-5.0 section 15.3.8). There is one source, the clock of the node process, with
// which tools can relate their own times to those of MPI_Wtime; events that it could tell of there are none,
// so no call has a registration or an instance to work with.
#include "taihu/base/clock.h"
#include "taihu/mpi/calls/tools/tool_call.h"
#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi::tools {
namespace {

constexpr const char* source_name = "taihu_clock";
constexpr const char* source_description = "The clock of MPI_Wtime, in nanoseconds";
constexpr MPI_Count ticks_in_a_second = 1000000000;

[[noreturn]] void refuse_index() {
  throw CallError(MPI_T_ERR_INVALID_INDEX, "there are no event types");
}

[[noreturn]] void refuse_handle() {
  throw CallError(MPI_T_ERR_INVALID_HANDLE, "there are no event types, so this is no handle of one");
}

void require_source(int index) {
  require(index == 0, MPI_T_ERR_INVALID_INDEX, "there is one source, number 0");
}

}  // namespace
}  // namespace taihu::mpi::tools

using namespace taihu::mpi;
using namespace taihu::mpi::tools;

MPI_CALL(int, T_source_get_num, (int* num_sources)) {
  return on_started_tools("MPI_T_source_get_num", [&](Rank&, Tools&) {
    require_results(num_sources);
    *num_sources = 1;
  });
}

MPI_CALL(int, T_source_get_info,
         (int source_index, char* name, int* name_len, char* desc, int* desc_len,
          MPI_T_source_order* ordering, MPI_Count* ticks_per_second, MPI_Count* max_ticks, MPI_Info* info)) {
  return on_started_tools("MPI_T_source_get_info", [&](Rank&, Tools&) {
    require_source(source_index);
    give_text(name, name_len, source_name);
    give_text(desc, desc_len, source_description);
    give(ordering, MPI_T_SOURCE_ORDERED);
    give(ticks_per_second, ticks_in_a_second);
    give(max_ticks, MPI_Count{INT64_MAX});
    if (info != nullptr) *info = handle_of<MPI_Info>(new Info);
  });
}

MPI_CALL(int, T_source_get_timestamp, (int source_index, MPI_Count* timestamp)) {
  return on_started_tools("MPI_T_source_get_timestamp", [&](Rank&, Tools&) {
    require_source(source_index);
    require_results(timestamp);
    *timestamp = static_cast<MPI_Count>(taihu::now_ns());
  });
}

MPI_CALL(int, T_event_get_num, (int* num_events)) {
  return on_started_tools("MPI_T_event_get_num", [&](Rank&, Tools&) {
    require_results(num_events);
    *num_events = 0;
  });
}

MPI_CALL(int, T_event_get_info,
         (int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
          int*)) {
  return on_started_tools("MPI_T_event_get_info", [](Rank&, Tools&) { refuse_index(); });
}

MPI_CALL(int, T_event_get_index, (const char* name, int* event_index)) {
  return on_started_tools("MPI_T_event_get_index", [&](Rank&, Tools&) {
    require_results(name, event_index);
    throw CallError(MPI_T_ERR_INVALID_NAME, "there are no event types");
  });
}

MPI_CALL(int, T_event_handle_alloc, (int, void*, MPI_Info, MPI_T_event_registration*)) {
  return on_started_tools("MPI_T_event_handle_alloc", [](Rank&, Tools&) { refuse_index(); });
}

MPI_CALL(int, T_event_handle_set_info, (MPI_T_event_registration, MPI_Info)) {
  return on_started_tools("MPI_T_event_handle_set_info", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_handle_get_info, (MPI_T_event_registration, MPI_Info*)) {
  return on_started_tools("MPI_T_event_handle_get_info", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_register_callback,
         (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function*)) {
  return on_started_tools("MPI_T_event_register_callback", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_callback_set_info, (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info)) {
  return on_started_tools("MPI_T_event_callback_set_info", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_callback_get_info, (MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*)) {
  return on_started_tools("MPI_T_event_callback_get_info", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_handle_free, (MPI_T_event_registration, void*, MPI_T_event_free_cb_function*)) {
  return on_started_tools("MPI_T_event_handle_free", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_set_dropped_handler, (MPI_T_event_registration, MPI_T_event_dropped_cb_function*)) {
  return on_started_tools("MPI_T_event_set_dropped_handler", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_read, (MPI_T_event_instance, int, void*)) {
  return on_started_tools("MPI_T_event_read", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_copy, (MPI_T_event_instance, void*)) {
  return on_started_tools("MPI_T_event_copy", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_get_timestamp, (MPI_T_event_instance, MPI_Count*)) {
  return on_started_tools("MPI_T_event_get_timestamp", [](Rank&, Tools&) { refuse_handle(); });
}

MPI_CALL(int, T_event_get_source, (MPI_T_event_instance, int*)) {
  return on_started_tools("MPI_T_event_get_source", [](Rank&, Tools&) { refuse_handle(); });
}
