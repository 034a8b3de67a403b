// SPDX-License-Identifier: Apache-2.0
// MPI-3.1 sections 13.2 and 13.6: opening, closing, sizes, information, consistency.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/work/files/file_error.h"

namespace taihu::mpi::files {
namespace {

/// All members call with equal `size`: rank 0 does `change` (which returns an errno value), and all hear how
/// it went.
template <class Change>
void change_size(File& file, MPI_Offset size, const char* action, Change&& change) {
  for (const MPI_Offset other : allgather_inside(*file.communicator, size))
    require(other == size, MPI_ERR_NOT_SAME, "the ranks gave different sizes");
  require(size >= 0, MPI_ERR_ARG, "the size is negative");
  require(file.is_writable(), MPI_ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY");
  int error_number = 0;
  if (file.communicator->rank == 0) {
    const AtWork at_work;
    error_number = change(file.shared->descriptor());
  }
  broadcast_inside(*file.communicator, &error_number, sizeof error_number, 0);
  check_file(file, error_number, action);
}

}  // namespace

MPI_CALL(int, File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh)) {
  return without_file("MPI_File_open", [&](Rank& rank) {
    auto& communicator =
        checked<Communicator>(rank, comm, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL or not valid");
    require(!communicator.is_inter(), MPI_ERR_COMM, "a file cannot be opened on an intercommunicator");
    require(fh != nullptr && filename != nullptr, MPI_ERR_ARG, "the name or the place of the file is null");
    FileHints hints;
    take_hints(rank, hints, info);
    *fh = handle_of<MPI_File>(open_file(rank, communicator, filename, amode, hints).give_up());
  });
}

MPI_CALL(int, File_close, (MPI_File * fh)) {
  // The file goes away after its error handler has run.
  Reference<File> last;
  return on_file("MPI_File_close", fh != nullptr ? *fh : MPI_FILE_NULL, [&](Rank&, File& file) {
    last = Reference<File>(&file);
    *fh = MPI_FILE_NULL;
    close_file(file);
  });
}

MPI_CALL(int, File_delete, (const char* filename, MPI_Info)) {
  return without_file("MPI_File_delete", [&](Rank&) {
    require(filename != nullptr, MPI_ERR_ARG, "the name of the file is null");
    const AtWork at_work;
    if (unlink(filename) != 0) throw file_error(errno, "delete", filename);
  });
}

MPI_CALL(int, File_set_size, (MPI_File fh, MPI_Offset size)) {
  return on_file("MPI_File_set_size", fh, [&](Rank&, File& file) {
    change_size(file, size, "set the size of",
                [&](int descriptor) { return ftruncate(descriptor, size) != 0 ? errno : 0; });
  });
}

MPI_CALL(int, File_preallocate, (MPI_File fh, MPI_Offset size)) {
  return on_file("MPI_File_preallocate", fh, [&](Rank&, File& file) {
    change_size(file, size, "reserve space for",
                [&](int descriptor) { return size > 0 ? posix_fallocate(descriptor, 0, size) : 0; });
  });
}

MPI_CALL(int, File_get_size, (MPI_File fh, MPI_Offset* size)) {
  return on_file("MPI_File_get_size", fh, [&](Rank&, File& file) {
    try {
      *size = file.shared->size();
    } catch (int error_number) {
      check_file(file, error_number, "tell the size of");
    }
  });
}

MPI_CALL(int, File_get_group, (MPI_File fh, MPI_Group* group)) {
  return on_file("MPI_File_get_group", fh, [&](Rank&, File& file) {
    *group = handle_of<MPI_Group>(Reference<Group>(file.communicator->group).give_up());
  });
}

MPI_CALL(int, File_get_amode, (MPI_File fh, int* amode)) {
  return on_file("MPI_File_get_amode", fh, [&](Rank&, File& file) { *amode = file.amode; });
}

MPI_CALL(int, File_set_info, (MPI_File fh, MPI_Info info)) {
  return on_file("MPI_File_set_info", fh, [&](Rank& rank, File& file) {
    file.hints.change([&](FileHints& hints) { take_hints(rank, hints, info); });
  });
}

MPI_CALL(int, File_get_info, (MPI_File fh, MPI_Info* info_used)) {
  return on_file("MPI_File_get_info", fh, [&](Rank&, File& file) {
    Reference<Info> info(new Info);
    const FileHints hints = file.hints.get();
    const Buffering buffering = hints.collective_buffering;
    if (buffering != Buffering::automatic)
      info->set("collective_buffering", buffering == Buffering::always ? "true" : "false");
    info->set("cb_buffer_size", std::to_string(hints.buffer_bytes));
    *info_used = handle_of<MPI_Info>(info.give_up());
  });
}

MPI_CALL(int, File_set_atomicity, (MPI_File fh, int flag)) {
  return on_file("MPI_File_set_atomicity", fh, [&](Rank&, File& file) {
    for (const int other : allgather_inside(*file.communicator, flag != 0 ? 1 : 0))
      require(other == (flag != 0 ? 1 : 0), MPI_ERR_NOT_SAME, "the ranks gave different flags");
    file.atomic_mode = flag != 0;
  });
}

MPI_CALL(int, File_get_atomicity, (MPI_File fh, int* flag)) {
  return on_file("MPI_File_get_atomicity", fh, [&](Rank&, File& file) { *flag = file.atomic_mode ? 1 : 0; });
}

MPI_CALL(int, File_sync, (MPI_File fh)) {
  return on_file("MPI_File_sync", fh, [&](Rank&, File& file) {
    // The ranks of a node process share the descriptor, so one of them speaks for all when all have come.
    barrier_inside(*file.local);
    int mine = 0;
    if (file.local->rank == 0) {
      const AtWork at_work;
      mine = fsync(file.shared->descriptor()) != 0 ? errno : 0;
    }
    for (const int error_number : allgather_inside(*file.communicator, mine))
      check_file(file, error_number, "write back");
  });
}

}  // namespace taihu::mpi::files
