// SPDX-License-Identifier: Apache-2.0
// What error handlers do. The overloads of handle_error (call.h) for communicators, windows and files find
// the handler and its object, and come together here.
#pragma once

#include <string>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/error_handler.h"

namespace taihu::mpi {

/// What an error happened on, for the handler's function and for messages.
struct Subject {
  Object* object = nullptr;        ///< of the handle that the function gets; null: `null_handle`
  std::uintptr_t null_handle = 0;  ///< MPI_FILE_NULL and its like
  std::string name;                ///< "MPI_COMM_WORLD", "a window of 4 ranks"; empty: nothing to say
};

/// Does what the handler in `slot` says: ends the job with one line on standard error and the error's class
/// as exit code, or calls the program's function. Returns the code that the MPI call returns.
int run_handler(Rank& rank, const Reference<ErrorHandler>& slot, const Subject& subject, const char* call,
                const CallError& error);

/// "MPI_COMM_WORLD", or "a communicator of 4 ranks" for one without a name.
std::string name_of(const Communicator& communicator);

// For MPI_Win_... and MPI_File_..., which stand next to their objects.

/// A new handler that calls a function of the program.
MPI_Errhandler create_handler(ErrorHandler::Use use, void (*function)());
/// The handler that `handle` names, if it may be used for `use`; throws CallError (MPI_ERR_ERRHANDLER or
/// MPI_ERR_ARG).
Reference<ErrorHandler> handler_for(Rank& rank, MPI_Errhandler handle, ErrorHandler::Use use);
/// The handler in a slot (member `errors` of an object), and another one for it; threads may do both at once.
Reference<ErrorHandler> handler_in(const Reference<ErrorHandler>& slot);
void replace_handler(Reference<ErrorHandler>& slot, Reference<ErrorHandler> handler);
/// One more handle of a handler, for the ..._get_errhandler calls.
MPI_Errhandler handle_for_program(const Reference<ErrorHandler>& slot);
/// What ..._call_errhandler do; returns MPI_SUCCESS once the handler has been called.
void call_handler(Rank& rank, const Reference<ErrorHandler>& slot, const Subject& subject, const char* call,
                  int code);

}  // namespace taihu::mpi
