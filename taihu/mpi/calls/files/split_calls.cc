// SPDX-License-Identifier: Apache-2.0
// MPI-3.1 section 13.4.5: split collective accesses. The first half does everything.
#include <string>

#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/work/files/access.h"

namespace taihu::mpi::files {
namespace {

/// `name` is that of the access, without "_begin".
inline __attribute__((always_inline)) int begin(const char* call, const char* name, MPI_File fh,
                                                Direction direction, Place place, MPI_Offset offset,
                                                const void* buf, MPI_Count count, MPI_Datatype datatype) {
  return on_file(call, fh, [&](Rank& rank, File& file) {
    file.split.outcome = do_access(rank, file, {direction, place, true, offset, buf, count, datatype});
    file.split.name = name;
  });
}

inline __attribute__((always_inline)) int end(const char* call, const char* name, MPI_File fh,
                                              MPI_Status* status) {
  return on_file(call, fh, [&](Rank&, File& file) {
    require(file.split.name != nullptr, MPI_ERR_IO, "no split collective access of this file was begun");
    require(std::string(file.split.name) == name, MPI_ERR_IO, [&] {
      return "the split collective access under way was begun by " + std::string(file.split.name) + "_begin";
    });
    file.split.name = nullptr;
    store(status, file.split.outcome);
  });
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/files/split_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, File_read_at_all_end, (MPI_File fh, void*, MPI_Status* status)) {
  return end("MPI_File_read_at_all_end", "MPI_File_read_at_all", fh, status);
}

MPI_CALL(int, File_write_at_all_end, (MPI_File fh, const void*, MPI_Status* status)) {
  return end("MPI_File_write_at_all_end", "MPI_File_write_at_all", fh, status);
}

MPI_CALL(int, File_read_all_end, (MPI_File fh, void*, MPI_Status* status)) {
  return end("MPI_File_read_all_end", "MPI_File_read_all", fh, status);
}

MPI_CALL(int, File_write_all_end, (MPI_File fh, const void*, MPI_Status* status)) {
  return end("MPI_File_write_all_end", "MPI_File_write_all", fh, status);
}

MPI_CALL(int, File_read_ordered_end, (MPI_File fh, void*, MPI_Status* status)) {
  return end("MPI_File_read_ordered_end", "MPI_File_read_ordered", fh, status);
}

MPI_CALL(int, File_write_ordered_end, (MPI_File fh, const void*, MPI_Status* status)) {
  return end("MPI_File_write_ordered_end", "MPI_File_write_ordered", fh, status);
}

}  // namespace taihu::mpi::files
