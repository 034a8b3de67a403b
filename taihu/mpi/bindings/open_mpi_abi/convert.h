// SPDX-License-Identifier: Apache-2.0
// Values of programs that were built for Open MPI, and ours. in_...: theirs to ours; out_...: ours to theirs.
// A handle that means nothing becomes one that our calls refuse, a number that means nothing stays as it is.
#pragma once

#include <climits>
#include <cstdint>

#include "taihu/mpi/bindings/foreign_abi/values.h"
#include "taihu/mpi/bindings/open_mpi_abi/constants.h"
#include "taihu/mpi/bindings/open_mpi_abi/handles.h"
#include "taihu/mpi/objects/status.h"

namespace taihu::mpi::open_mpi {

using foreign::ArrayValue;
using foreign::Values;

struct Status {
  int source;
  int tag;
  int error;
  int cancelled;
  std::size_t bytes;
};
static_assert(sizeof(Status) == 24);

inline Status* const ignored_status = nullptr;

inline MPI_Comm in_communicator(Handle handle) noexcept {
  return in_handle<MPI_Comm>(handle);
}
inline MPI_Datatype in_datatype(Handle handle) noexcept {
  return in_handle<MPI_Datatype>(handle);
}
inline MPI_Op in_operation(Handle handle) noexcept {
  return in_handle<MPI_Op>(handle);
}
inline MPI_Group in_group(Handle handle) noexcept {
  return in_handle<MPI_Group>(handle);
}
inline MPI_Win in_window(Handle handle) noexcept {
  return in_handle<MPI_Win>(handle);
}
inline MPI_Message in_message(Handle handle) noexcept {
  return in_handle<MPI_Message>(handle);
}
inline MPI_Info in_info(Handle handle) noexcept {
  return in_handle<MPI_Info>(handle);
}
inline MPI_Errhandler in_error_handler(Handle handle) noexcept {
  return in_handle<MPI_Errhandler>(handle);
}
inline MPI_Request in_request(Handle handle) noexcept {
  return in_handle<MPI_Request>(handle);
}
inline MPI_File in_file(Handle handle) noexcept {
  return in_handle<MPI_File>(handle);
}
inline MPI_Session in_session(Handle handle) noexcept {
  return in_handle<MPI_Session>(handle);
}
inline Handle out_file(MPI_File file) noexcept {
  return out_handle(file);
}

#include "taihu/mpi/bindings/foreign_abi/numbers.h.inc"

/// Weights of a graph, in whose place two values may stand.
inline int* in_weights(const int* weights) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(weights);
  return value == 2 ? MPI_UNWEIGHTED : value == 3 ? MPI_WEIGHTS_EMPTY : const_cast<int*>(weights);
}
inline MPI_T_pvar_handle in_variable_handle(MPI_T_pvar_handle handle) noexcept {
  return reinterpret_cast<std::intptr_t>(handle) == -1 ? MPI_T_PVAR_ALL_HANDLES : handle;
}

// Statuses.

inline constexpr int untouched = INT_MIN;

inline void in_status(MPI_Status& ours, const Status& theirs) noexcept {
  ours.MPI_SOURCE = in_rank(theirs.source);
  ours.MPI_TAG = in_tag(theirs.tag);
  ours.MPI_ERROR = in_error(theirs.error);
  set_bytes(ours, static_cast<std::int64_t>(theirs.bytes));
  ours.MPI_internal[2] = theirs.cancelled != 0 ? 1 : 0;
}
/// What the call has set.
inline void out_status(Status& theirs, const MPI_Status& ours) noexcept {
  if (ours.MPI_ERROR != untouched) theirs.error = out_error(ours.MPI_ERROR);
  if (ours.MPI_SOURCE == untouched) return;
  theirs.bytes = static_cast<std::size_t>(bytes_of(ours));
  theirs.cancelled = is_cancelled(ours) ? 1 : 0;
  theirs.source = out_rank(ours.MPI_SOURCE);
  theirs.tag = out_tag(ours.MPI_TAG);
}

#include "taihu/mpi/bindings/foreign_abi/results.h.inc"

/// How many datatypes the arrays of MPI_Alltoallw and of its neighbourhood form have.
int partners(Handle communicator) noexcept;
int neighbors(Handle communicator, bool outgoing) noexcept;

}  // namespace taihu::mpi::open_mpi

/// One call of this ABI, under the name by which entry_points.cc finds it.
#define TAIHU_OPEN_MPI_CALL(result, name, parameters)                                        \
  extern "C" __attribute__((visibility("default"))) result taihu_open_mpi_##name parameters; \
  extern "C" result taihu_open_mpi_##name parameters
