// SPDX-License-Identifier: Apache-2.0
// MPI-3.1 section 13.4: reading and writing, except for split collective accesses.
#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/files/access.h"

namespace taihu::mpi::files {
namespace {

enum class Ranks { alone, together };

inline __attribute__((always_inline)) int blocking(const char* call, MPI_File fh, Direction direction,
                                                   Place place, Ranks ranks, MPI_Offset offset,
                                                   const void* buf, MPI_Count count, MPI_Datatype datatype,
                                                   MPI_Status* status) {
  return on_file(call, fh, [&](Rank& rank, File& file) {
    const bool collective = ranks == Ranks::together;
    store(status, do_access(rank, file, {direction, place, collective, offset, buf, count, datatype}));
  });
}

/// Never waits for other ranks, so the collective ones come here too.
inline __attribute__((always_inline)) int non_blocking(const char* call, MPI_File fh, Direction direction,
                                                       Place place, MPI_Offset offset, const void* buf,
                                                       MPI_Count count, MPI_Datatype datatype,
                                                       MPI_Request* request) {
  return on_file(call, fh, [&](Rank& rank, File& file) {
    require(request != nullptr, MPI_ERR_ARG, "there is no place for the request (null pointer)");
    const Outcome outcome = do_access(rank, file, {direction, place, false, offset, buf, count, datatype});
    *request = handle_of<MPI_Request>(new CompleteRequest(outcome));
  });
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/files/access_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

}  // namespace taihu::mpi::files
