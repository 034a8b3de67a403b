// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/errors/handle_error.h"

#include <mutex>
#include <utility>

#include "taihu/mpi/objects/errors/added_errors.h"
#include "taihu/mpi/objects/handles/handle_table.h"
#include "taihu/mpi/objects/predefined.h"

namespace taihu::mpi {
namespace {

/// Guards the handlers of all objects; held for a few instructions, and only where errors are handled.
std::mutex slots_lock;

std::string message_of(Rank& rank, const Subject& subject, const char* call, const CallError& error) {
  std::string message =
      std::string(call) + ": " + error.text() + " (" + AddedErrors::of(rank).name_of(error.code());
  // Texts often name the object themselves.
  if (!subject.name.empty() && error.text().find(subject.name) == std::string::npos)
    message += ", on " + subject.name;
  return message + ")";
}

/// Returns the code that the function leaves: the call of MPI returns it. The function may replace the
/// handler or never return (longjmp), so nothing is held here.
int call_function(Rank& rank, Reference<ErrorHandler> handler, const Subject& subject, int code) {
  void (*const function)() = handler->function;
  const bool is_fortran = handler->is_fortran;
  const ErrorHandler::Caller caller = handler->caller;
  const ErrorHandler::Use use = handler->use;
  handler = {};
  const OutsideOfCalls outside;
  if (is_fortran) {
    MPI_Fint handle = subject.object != nullptr ? HandleTable::of(rank).index_of(*subject.object)
                                                : static_cast<MPI_Fint>(subject.null_handle);
    reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*)>(function)(&handle, &code);
    return code;
  }
  // Handles of all kinds are pointers.
  void* handle = subject.object != nullptr ? handle_of<void*>(subject.object)
                                           : reinterpret_cast<void*>(subject.null_handle);
  if (caller != nullptr) {
    caller(function, use, handle, &code);
  } else {
    reinterpret_cast<void (*)(void**, int*, ...)>(function)(&handle, &code);
  }
  return code;
}

}  // namespace

int run_handler(Rank& rank, const Reference<ErrorHandler>& slot, const Subject& subject, const char* call,
                const CallError& error) {
  Reference<ErrorHandler> handler = handler_in(slot);
  std::string message = message_of(rank, subject, call, error);
  if (handler->action != ErrorHandler::Action::end_job)
    AddedErrors::of(rank).last_told.set(std::move(message));
  switch (handler->action) {
    case ErrorHandler::Action::end_job:
      end_job(rank, AddedErrors::of(rank).class_of(error.code()), message);
    case ErrorHandler::Action::return_code:
      break;
    case ErrorHandler::Action::call_function:
      return call_function(rank, std::move(handler), subject, error.code());
  }
  return error.code();
}

std::string name_of(const Communicator& communicator) {
  if (std::string name = communicator.name.get(); !name.empty()) return name;
  return "a communicator of " + std::to_string(communicator.size()) +
         (communicator.size() == 1 ? " rank" : " ranks");
}

int handle_error(Rank& rank, const char* call, Communicator* communicator, const CallError& error) {
  Subject subject;
  if (communicator != nullptr) {
    subject = {communicator, 0, name_of(*communicator)};
  } else {
    communicator = &rank.world();
    subject = {communicator, 0, {}};
  }
  return run_handler(rank, communicator->errors, subject, call, error);
}

int handle_error(Rank& rank, const char* call, Session& session, const CallError& error) {
  return run_handler(rank, session.errors, {&session, 0, "a session"}, call, error);
}

MPI_Errhandler create_handler(ErrorHandler::Use use, void (*function)()) {
  require(function != nullptr, MPI_ERR_ARG, "the function of the error handler is null");
  return handle_of<MPI_Errhandler>(new ErrorHandler(use, function));
}

Reference<ErrorHandler> handler_for(Rank& rank, MPI_Errhandler handle, ErrorHandler::Use use) {
  ErrorHandler& handler = checked<ErrorHandler>(rank, handle, MPI_ERR_ERRHANDLER,
                                                "the error handler is MPI_ERRHANDLER_NULL or not valid");
  require(handler.use == ErrorHandler::Use::any || handler.use == use, MPI_ERR_ERRHANDLER,
          "the error handler was made for another kind of object");
  return Reference<ErrorHandler>::to(&handler);
}

Reference<ErrorHandler> handler_in(const Reference<ErrorHandler>& slot) {
  const std::lock_guard hold(slots_lock);
  return slot;
}

void replace_handler(Reference<ErrorHandler>& slot, Reference<ErrorHandler> handler) {
  const std::lock_guard hold(slots_lock);
  std::swap(slot, handler);
}

MPI_Errhandler handle_for_program(const Reference<ErrorHandler>& slot) {
  Reference<ErrorHandler> handler = handler_in(slot);
  // Predefined ones are not counted: programs may free their handles or not.
  return handle_of<MPI_Errhandler>(handler->predefined ? handler.get() : handler.give_up());
}

void call_handler(Rank& rank, const Reference<ErrorHandler>& slot, const Subject& subject, const char* call,
                  int code) {
  AddedErrors& errors = AddedErrors::of(rank);
  require(errors.exists(code), MPI_ERR_ARG, [&] { return "there is no error code " + std::to_string(code); });
  run_handler(rank, slot, subject, call, CallError(code, errors.text_of(code)));
}

void add_predefined_error_handlers(PredefinedObjects& objects) {
  using Action = ErrorHandler::Action;
  add_predefined(objects, MPI_ERRORS_ARE_FATAL, *new ErrorHandler(Action::end_job));
  add_predefined(objects, MPI_ERRORS_ABORT, *new ErrorHandler(Action::end_job));
  add_predefined(objects, MPI_ERRORS_RETURN, *new ErrorHandler(Action::return_code));
}

}  // namespace taihu::mpi
