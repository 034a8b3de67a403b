// SPDX-License-Identifier: Apache-2.0
// MPI-3.1 section 13.4: reading and writing, except for split collective accesses.
#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/files/access.h"

namespace taihu::mpi::files {
namespace {

enum class Ranks { alone, together };

int blocking(const char* call, MPI_File fh, Direction direction, Place place, Ranks ranks, MPI_Offset offset,
             const void* buf, int count, MPI_Datatype datatype, MPI_Status* status) {
  return on_file(call, fh, [&](Rank& rank, File& file) {
    const bool collective = ranks == Ranks::together;
    store(status, do_access(rank, file, {direction, place, collective, offset, buf, count, datatype}));
  });
}

/// Never waits for other ranks, so the collective ones come here too.
int non_blocking(const char* call, MPI_File fh, Direction direction, Place place, MPI_Offset offset,
                 const void* buf, int count, MPI_Datatype datatype, MPI_Request* request) {
  return on_file(call, fh, [&](Rank& rank, File& file) {
    require(request != nullptr, MPI_ERR_ARG, "there is no place for the request (null pointer)");
    const Outcome outcome = do_access(rank, file, {direction, place, false, offset, buf, count, datatype});
    *request = handle_of<MPI_Request>(new CompleteRequest(outcome));
  });
}

}  // namespace

MPI_CALL(int, File_read_at,
         (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read_at", fh, Direction::read, Place::offset, Ranks::alone, offset, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_write_at,
         (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
          MPI_Status* status)) {
  return blocking("MPI_File_write_at", fh, Direction::write, Place::offset, Ranks::alone, offset, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_read_at_all,
         (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read_at_all", fh, Direction::read, Place::offset, Ranks::together, offset, buf,
                  count, datatype, status);
}

MPI_CALL(int, File_write_at_all,
         (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
          MPI_Status* status)) {
  return blocking("MPI_File_write_at_all", fh, Direction::write, Place::offset, Ranks::together, offset, buf,
                  count, datatype, status);
}

MPI_CALL(int, File_read, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read", fh, Direction::read, Place::individual, Ranks::alone, 0, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_write,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_write", fh, Direction::write, Place::individual, Ranks::alone, 0, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_read_all, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read_all", fh, Direction::read, Place::individual, Ranks::together, 0, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_write_all,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_write_all", fh, Direction::write, Place::individual, Ranks::together, 0, buf,
                  count, datatype, status);
}

MPI_CALL(int, File_read_shared,
         (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read_shared", fh, Direction::read, Place::shared, Ranks::alone, 0, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_write_shared,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_write_shared", fh, Direction::write, Place::shared, Ranks::alone, 0, buf, count,
                  datatype, status);
}

MPI_CALL(int, File_read_ordered,
         (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_read_ordered", fh, Direction::read, Place::ordered, Ranks::together, 0, buf,
                  count, datatype, status);
}

MPI_CALL(int, File_write_ordered,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status)) {
  return blocking("MPI_File_write_ordered", fh, Direction::write, Place::ordered, Ranks::together, 0, buf,
                  count, datatype, status);
}

MPI_CALL(int, File_iread_at,
         (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
          MPI_Request* request)) {
  return non_blocking("MPI_File_iread_at", fh, Direction::read, Place::offset, offset, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iwrite_at,
         (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
          MPI_Request* request)) {
  return non_blocking("MPI_File_iwrite_at", fh, Direction::write, Place::offset, offset, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iread_at_all,
         (MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
          MPI_Request* request)) {
  return non_blocking("MPI_File_iread_at_all", fh, Direction::read, Place::offset, offset, buf, count,
                      datatype, request);
}

MPI_CALL(int, File_iwrite_at_all,
         (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype,
          MPI_Request* request)) {
  return non_blocking("MPI_File_iwrite_at_all", fh, Direction::write, Place::offset, offset, buf, count,
                      datatype, request);
}

MPI_CALL(int, File_iread, (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iread", fh, Direction::read, Place::individual, 0, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iwrite,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iwrite", fh, Direction::write, Place::individual, 0, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iread_all,
         (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iread_all", fh, Direction::read, Place::individual, 0, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iwrite_all,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iwrite_all", fh, Direction::write, Place::individual, 0, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iread_shared,
         (MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iread_shared", fh, Direction::read, Place::shared, 0, buf, count, datatype,
                      request);
}

MPI_CALL(int, File_iwrite_shared,
         (MPI_File fh, const void* buf, int count, MPI_Datatype datatype, MPI_Request* request)) {
  return non_blocking("MPI_File_iwrite_shared", fh, Direction::write, Place::shared, 0, buf, count, datatype,
                      request);
}

}  // namespace taihu::mpi::files
