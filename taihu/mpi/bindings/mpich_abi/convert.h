// SPDX-License-Identifier: Apache-2.0
// Values of programs that were built for the MPICH ABI, and ours. There, handles (but of files) are integers:
// predefined ones fixed patterns with the kind in the upper bits, all others here the indices of our handle
// table, which end far below the patterns. in_...: theirs to ours; out_...: ours to theirs. A handle that
// means nothing becomes one that our calls refuse, a number that means nothing stays as it is.
#pragma once

#include <climits>
#include <cstdint>

#include "taihu/mpi/bindings/foreign_abi/values.h"
#include "taihu/mpi/bindings/mpich_abi/constants.h"
#include "taihu/mpi/objects/handles/handle_table.h"
#include "taihu/mpi/objects/status.h"

namespace taihu::mpi::mpich {

using foreign::ArrayValue;
using foreign::Values;

using Handle = int;  ///< of all kinds but files

struct Status {
  int count_low;
  int count_high_and_cancelled;  ///< the lowest bit: cancelled
  int source;
  int tag;
  int error;
};
static_assert(sizeof(Status) == 20);

inline Status* const ignored_status = reinterpret_cast<Status*>(std::intptr_t{their_MPI_STATUS_IGNORE});

// Handles.

struct DatatypeEntry {
  int theirs;
  MPI_Datatype ours;
};
/// By the lowest byte of theirs, which tells the basic types apart.
extern const DatatypeEntry* const basic_types;
/// By the lowest four bits of theirs.
extern const MPI_Op* const operations;
/// Of our predefined handles, by their number.
extern const int* const numbers;

MPI_Comm other_communicator(int handle) noexcept;
MPI_Datatype other_datatype(int handle) noexcept;
MPI_Op other_operation(int handle) noexcept;
MPI_Group in_group(int handle) noexcept;
MPI_Win in_window(int handle) noexcept;
MPI_Message in_message(int handle) noexcept;
MPI_Info in_info(int handle) noexcept;
MPI_Session in_session(int handle) noexcept;
MPI_Errhandler in_error_handler(int handle) noexcept;
int index_of_object(Object& object) noexcept;

inline MPI_Comm in_communicator(int handle) noexcept {
  return handle == their_MPI_COMM_WORLD ? MPI_COMM_WORLD : other_communicator(handle);
}
inline MPI_Datatype in_datatype(int handle) noexcept {
  const DatatypeEntry& entry = basic_types[handle & 0xff];
  return entry.theirs == handle ? entry.ours : other_datatype(handle);
}
inline MPI_Op in_operation(int handle) noexcept {
  return (handle & ~0xf) == (their_MPI_SUM & ~0xf) ? operations[handle & 0xf] : other_operation(handle);
}
inline MPI_Request in_request(int handle) noexcept {
  if (handle == their_MPI_REQUEST_NULL) return MPI_REQUEST_NULL;
  Rank* const rank = current_rank();
  const auto invalid = reinterpret_cast<MPI_Request>(std::uintptr_t{1});
  return rank != nullptr ? from_integer(*rank, handle, Kind::request, invalid) : invalid;
}
/// Of all kinds but files.
template <class Handle>
inline int out_handle(Handle handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < predefined_handles ? numbers[value] : index_of_object(*reinterpret_cast<Object*>(value));
}
inline MPI_File in_file(void* file) noexcept {
  return file == nullptr ? MPI_FILE_NULL : static_cast<MPI_File>(file);
}
inline void* out_file(MPI_File file) noexcept {
  return file == MPI_FILE_NULL ? nullptr : file;
}

#include "taihu/mpi/bindings/foreign_abi/numbers.h.inc"

// Statuses.

inline constexpr int untouched = INT_MIN;

inline void in_status(MPI_Status& ours, const Status& theirs) noexcept {
  ours.MPI_SOURCE = in_rank(theirs.source);
  ours.MPI_TAG = in_tag(theirs.tag);
  ours.MPI_ERROR = in_error(theirs.error);
  set_bytes(ours, static_cast<std::int64_t>(static_cast<std::uint32_t>(theirs.count_low)) |
                      std::int64_t{theirs.count_high_and_cancelled >> 1} << 32);
  ours.MPI_internal[2] = theirs.count_high_and_cancelled & 1;
}
/// What the call has set.
inline void out_status(Status& theirs, const MPI_Status& ours) noexcept {
  if (ours.MPI_ERROR != untouched) theirs.error = out_error(ours.MPI_ERROR);
  if (ours.MPI_SOURCE == untouched) return;
  const std::int64_t bytes = bytes_of(ours);
  theirs.count_low = static_cast<int>(bytes);
  theirs.count_high_and_cancelled = static_cast<int>(bytes >> 32) << 1 | (is_cancelled(ours) ? 1 : 0);
  theirs.source = out_rank(ours.MPI_SOURCE);
  theirs.tag = out_tag(ours.MPI_TAG);
}

#include "taihu/mpi/bindings/foreign_abi/results.h.inc"

/// How many datatypes the arrays of MPI_Alltoallw and of its neighbourhood form have.
int partners(int communicator) noexcept;
int neighbors(int communicator, bool outgoing) noexcept;

}  // namespace taihu::mpi::mpich

/// One call of this ABI, under the name by which entry_points.cc finds it.
#define TAIHU_MPICH_CALL(result, name, parameters)                                        \
  extern "C" __attribute__((visibility("default"))) result taihu_mpich_##name parameters; \
  extern "C" result taihu_mpich_##name parameters
