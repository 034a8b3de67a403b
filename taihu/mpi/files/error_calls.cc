// SPDX-License-Identifier: Apache-2.0
// Error handlers of files (MPI-3.1 sections 8.3.3 and 13.7). The handler of MPI_FILE_NULL is that of all
// files opened afterwards, and of failures without a file; at first it is MPI_ERRORS_RETURN.
#include <string>

#include "taihu/mpi/files/file_call.h"

namespace taihu::mpi {
namespace {

/// Where the handler of a file, or of MPI_FILE_NULL, is kept.
Reference<ErrorHandler>& handler_of(Rank& rank, MPI_File handle) {
  if (handle == MPI_FILE_NULL) return files_of(rank).default_errors;
  return checked<File>(rank, handle, MPI_ERR_FILE, "the file is not valid").errors;
}

using FortranHandler = void (*)(MPI_Fint* file, MPI_Fint* code);

int call_function(const ErrorHandler& handler, File* file, int code) {
  if (handler.is_fortran) {
    MPI_Fint number = file != nullptr
                          ? file->fortran_index
                          : static_cast<MPI_Fint>(reinterpret_cast<std::uintptr_t>(MPI_FILE_NULL));
    MPI_Fint fortran_code = code;
    reinterpret_cast<FortranHandler>(handler.function)(&number, &fortran_code);
  } else {
    MPI_File handle = file != nullptr ? handle_of<MPI_File>(file) : MPI_FILE_NULL;
    reinterpret_cast<MPI_File_errhandler_function*>(handler.function)(&handle, &code);
  }
  return code;
}

}  // namespace

int handle_error(Rank& rank, const char* call, File* file, const CallError& error) {
  const Reference<ErrorHandler> handler = file != nullptr ? file->errors : files_of(rank).default_errors;
  switch (handler->action) {
    case ErrorHandler::Action::return_code:
      return error.code();
    case ErrorHandler::Action::call_function:
      return call_function(*handler, file, error.code());
    default:
      end_job(rank, error.code(), std::string(call) + ": " + error.text());
  }
}

MPI_CALL(int, File_create_errhandler,
         (MPI_File_errhandler_function * file_errhandler_fn, MPI_Errhandler* errhandler)) {
  return on_rank("MPI_File_create_errhandler", [&](Rank&) {
    require(file_errhandler_fn != nullptr, MPI_ERR_ARG, "the function is a null pointer");
    *errhandler = handle_of<MPI_Errhandler>(
        new ErrorHandler(ErrorHandler::Use::file, reinterpret_cast<void (*)()>(file_errhandler_fn)));
  });
}

MPI_CALL(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler)) {
  return without_file("MPI_File_set_errhandler", [&](Rank& rank) {
    auto& handler =
        checked<ErrorHandler>(rank, errhandler, MPI_ERR_ERRHANDLER, "the error handler is not valid");
    require(handler.use == ErrorHandler::Use::any || handler.use == ErrorHandler::Use::file,
            MPI_ERR_ERRHANDLER, "the error handler is not one for files");
    handler_of(rank, file) = Reference<ErrorHandler>::to(&handler);
  });
}

MPI_CALL(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler)) {
  return without_file("MPI_File_get_errhandler", [&](Rank& rank) {
    *errhandler = handle_of<MPI_Errhandler>(Reference<ErrorHandler>(handler_of(rank, file)).give_up());
  });
}

MPI_CALL(int, File_call_errhandler, (MPI_File fh, int errorcode)) {
  return without_file("MPI_File_call_errhandler", [&](Rank& rank) {
    File* const file = rank.find<File>(fh);
    require(file != nullptr || fh == MPI_FILE_NULL, MPI_ERR_FILE, "the file is not valid");
    handle_error(rank, "MPI_File_call_errhandler", file,
                 CallError(errorcode, "the program has raised error " + std::to_string(errorcode)));
  });
}

}  // namespace taihu::mpi
