// SPDX-License-Identifier: Apache-2.0
// Error handlers of communicators, windows and files.
#pragma once

#include "taihu/mpi/object.h"

namespace taihu::mpi {

struct ErrorHandler final : Object {
  static constexpr Kind object_kind = Kind::error_handler;

  enum class Action { end_job, return_code, call_function };
  /// What a function of the program is for; the others fit anything.
  enum class Use { any, communicator, window, file };

  explicit ErrorHandler(Action what) : Object(object_kind), action(what) {}
  ErrorHandler(Use what_for, void (*what)())
      : Object(object_kind), action(Action::call_function), use(what_for), function(what) {}

  Action action;
  Use use = Use::any;
  void (*function)() = nullptr;  ///< MPI_Comm_errhandler_function or its sisters
  bool is_fortran = false;       ///< the function takes the handle and the code as Fortran integers
};

/// MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN.
void add_predefined_error_handlers(PredefinedObjects& objects);

}  // namespace taihu::mpi
