// SPDX-License-Identifier: Apache-2.0
// MPI_Put, MPI_Get, the accumulates, and their forms with requests (MPI-3.1 section 11.3).
#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/objects/statistics.h"
#include "taihu/mpi/work/windows/element_action.h"
#include "taihu/mpi/work/windows/transfer.h"
#include "taihu/mpi/work/windows/window_request.h"

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

namespace {

// Inline: an access within the node process takes less time than a few calls.

inline Datatype& checked_type(Rank& rank, MPI_Datatype handle) {
  Datatype& type =
      checked<Datatype>(rank, handle, MPI_ERR_TYPE, "a datatype is MPI_DATATYPE_NULL or not valid");
  require(type.committed, MPI_ERR_TYPE, "a datatype is not committed; call MPI_Type_commit first");
  return type;
}

inline __attribute__((always_inline)) Buffer buffer_of(Rank& rank, const void* address, MPI_Count count,
                                                       MPI_Datatype type) {
  require(count >= 0, MPI_ERR_COUNT, "a count is negative");
  Buffer buffer{const_cast<void*>(address), count, &checked_type(rank, type)};
  // Types with places of their own may start from MPI_BOTTOM.
  require(address != nullptr || count == 0 || !buffer.type->contiguous || buffer.type->block_offset() != 0 ||
              buffer.type->size_bytes == 0,
          MPI_ERR_BUFFER, "a buffer is null, but its count is not zero");
  return buffer;
}

inline __attribute__((always_inline)) Places places_of(Rank& rank, const Window& window, int target,
                                                       MPI_Aint displacement, MPI_Count count,
                                                       MPI_Datatype type) {
  require(target == MPI_PROC_NULL || (target >= 0 && target < window.size()), MPI_ERR_RANK,
          "the target is not a rank of the window");
  require(count >= 0, MPI_ERR_COUNT, "a count is negative");
  const Places places{target, displacement, count, &checked_type(rank, type)};
  if (calls_observed && target != MPI_PROC_NULL) [[unlikely]]
    note_bytes(static_cast<std::int64_t>(places.bytes()));
  return places;
}

MPI_Op checked_operation(Rank& rank, MPI_Op handle) {
  const Operation* const operation = rank.find<Operation>(handle);
  require(operation != nullptr && operation->predefined, MPI_ERR_OP,
          "accumulates take predefined operations only");
  return handle;
}

/// Runs access(tracker) and makes the request of what is left of it.
template <class Access>
void with_request(Window& window, int target, MPI_Request* request, Access&& access) {
  require_lock_epoch(
      window, "accesses with requests are only allowed in an epoch of MPI_Win_lock or MPI_Win_lock_all");
  Tracker tracker;
  if (target != MPI_PROC_NULL) access(&tracker);
  Request* const made = tracker.parts != nullptr ? static_cast<Request*>(new WindowRequest(tracker.parts))
                                                 : new CompleteRequest();
  *request = handle_of<MPI_Request>(made);
}

/// With MPI_NO_OP the origin's arguments mean nothing.
Buffer origin_of(Rank& rank, const void* address, MPI_Count count, MPI_Datatype type, MPI_Op operation) {
  return checked_operation(rank, operation) == MPI_NO_OP ? Buffer{} : buffer_of(rank, address, count, type);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/windows/calls_access.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Fetch_and_op,
         (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
          MPI_Aint target_disp, MPI_Op op, MPI_Win win)) {
  return on_window("MPI_Fetch_and_op", win, [&](Rank& rank, Window& window) {
    const Places places = places_of(rank, window, target_rank, target_disp, 1, datatype);
    require(places.type->predefined, MPI_ERR_TYPE, "MPI_Fetch_and_op takes predefined datatypes only");
    checked_operation(rank, op);
    require(result_addr != nullptr && (origin_addr != nullptr || op == MPI_NO_OP), MPI_ERR_BUFFER,
            "a buffer is null");
    const Buffer origin{const_cast<void*>(origin_addr), 1, places.type};
    const Buffer result{result_addr, 1, places.type};
    if (target_rank != MPI_PROC_NULL) accumulate(window, origin, &result, places, op, nullptr);
  });
}

MPI_CALL(int, Compare_and_swap,
         (const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
          int target_rank, MPI_Aint target_disp, MPI_Win win)) {
  return on_window("MPI_Compare_and_swap", win, [&](Rank& rank, Window& window) {
    const Places places = places_of(rank, window, target_rank, target_disp, 1, datatype);
    require_comparable(*places.type);
    require(origin_addr != nullptr && compare_addr != nullptr && result_addr != nullptr, MPI_ERR_BUFFER,
            "a buffer is null");
    if (target_rank != MPI_PROC_NULL)
      compare_and_swap(window, origin_addr, compare_addr, result_addr, places);
  });
}
