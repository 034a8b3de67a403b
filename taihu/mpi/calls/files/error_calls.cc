// SPDX-License-Identifier: Apache-2.0
// Error handlers of files (MPI-3.1 sections 8.3.3 and 13.7). The handler of MPI_FILE_NULL is that of all
// files opened afterwards, and of failures without a file; at first it is MPI_ERRORS_RETURN.
#include <string>

#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/objects/errors/handle_error.h"

namespace taihu::mpi::files {
namespace {

Subject subject_of(File* file) {
  const auto null_handle = reinterpret_cast<std::uintptr_t>(MPI_FILE_NULL);
  return {file, null_handle, file != nullptr ? "file '" + file->shared->path() + "'" : std::string()};
}

/// The file of a handle; null for MPI_FILE_NULL.
File* file_or_null(Rank& rank, MPI_File handle) {
  if (handle == MPI_FILE_NULL) return nullptr;
  return &checked<File>(rank, handle, MPI_ERR_FILE, "the file is not valid");
}

Reference<ErrorHandler>& handler_of(Rank& rank, File* file) {
  return file != nullptr ? file->errors : files_of(rank).default_errors;
}

}  // namespace

MPI_CALL(int, File_create_errhandler,
         (MPI_File_errhandler_function * file_errhandler_fn, MPI_Errhandler* errhandler)) {
  return on_rank("MPI_File_create_errhandler", [&](Rank&) {
    *errhandler = create_handler(ErrorHandler::Use::file, reinterpret_cast<void (*)()>(file_errhandler_fn));
  });
}

MPI_CALL(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler)) {
  return without_file("MPI_File_set_errhandler", [&](Rank& rank) {
    handler_of(rank, file_or_null(rank, file)) = handler_for(rank, errhandler, ErrorHandler::Use::file);
  });
}

MPI_CALL(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler)) {
  return without_file("MPI_File_get_errhandler", [&](Rank& rank) {
    *errhandler = handle_for_program(handler_of(rank, file_or_null(rank, file)));
  });
}

MPI_CALL(int, File_call_errhandler, (MPI_File fh, int errorcode)) {
  return without_file("MPI_File_call_errhandler", [&](Rank& rank) {
    File* const file = file_or_null(rank, fh);
    const Reference<ErrorHandler> handler = handler_of(rank, file);
    call_handler(rank, handler, subject_of(file), "MPI_File_call_errhandler", errorcode);
  });
}

}  // namespace taihu::mpi::files

namespace taihu::mpi {

int handle_error(Rank& rank, const char* call, File* file, const CallError& error) {
  const Reference<ErrorHandler> handler = files::handler_of(rank, file);
  return run_handler(rank, handler, files::subject_of(file), call, error);
}

}  // namespace taihu::mpi
