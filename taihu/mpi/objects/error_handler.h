// SPDX-License-Identifier: Apache-2.0
// Error handlers of communicators, windows and files.
#pragma once

#include "taihu/mpi/object.h"

namespace taihu::mpi {

struct ErrorHandler final : Object {
  static constexpr Kind object_kind = Kind::error_handler;

  enum class Action { end_job, return_code, call_function };
  /// What a function of the program is for; the others fit anything.
  enum class Use { any, communicator, window, file, session };

  explicit ErrorHandler(Action what) : Object(object_kind), action(what) {}
  ErrorHandler(Use what_for, void (*what)())
      : Object(object_kind), action(Action::call_function), use(what_for), function(what) {}

  /// How functions that do not follow taihu/abi/mpi.h are called: with a handle of `use`, and the error code,
  /// which they may change.
  using Caller = void (*)(void (*function)(), Use use, void* handle, int* code);

  Action action;
  Use use = Use::any;
  void (*function)() = nullptr;  ///< MPI_Comm_errhandler_function or its sisters
  bool is_fortran = false;       ///< the function takes the handle and the code as Fortran integers
  Caller caller = nullptr;       ///< null: a function of C
};

/// MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN.
void add_predefined_error_handlers(PredefinedObjects& objects);

}  // namespace taihu::mpi
