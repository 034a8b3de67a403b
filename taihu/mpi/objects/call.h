// SPDX-License-Identifier: Apache-2.0
// The border between C programs and the library: how calls are defined, how they find their rank and their
// objects, and what becomes of failures.
//
//   MPI_CALL(int, Comm_rank, (MPI_Comm comm, int* rank)) {
//     return on_communicator("MPI_Comm_rank", comm, [&](Rank&, Communicator& communicator) {
//       *rank = communicator.rank;
//     });
//   }
//
// Every call is defined once, as PMPI_name; MPI_name is a weak alias of it, so that a profiling tool can put
// its own before it. The body runs inside one of the guards below; it throws CallError, and returns nothing.
// The coverage table of the documentation is made from these definitions (tools/mpi_coverage.py).
#pragma once

#include <new>

#include "taihu/mpi/error.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"

#define MPI_CALL(result, name, parameters)                                                             \
  extern "C" __attribute__((visibility("default"))) result PMPI_##name parameters;                     \
  extern "C"                                                                                           \
      __attribute__((visibility("default"), weak, alias("PMPI_" #name))) result MPI_##name parameters; \
  extern "C" result PMPI_##name parameters

namespace taihu::mpi {

/// Objects that have an error handler.
namespace windows {
struct Window;
}
struct File;

/// What the error handler in charge makes of a failure: the code to return, or the end of the job. In charge
/// is that of the object, for calls without one that of MPI_COMM_WORLD.
int handle_error(Rank& rank, const char* call, Communicator* communicator, const CallError& error);
int handle_error(Rank& rank, const char* call, windows::Window& window, const CallError& error);
/// Null: of files that could not be opened (the handler of MPI_FILE_NULL).
int handle_error(Rank& rank, const char* call, File* file, const CallError& error);
int handle_error(Rank& rank, const char* call, Session& session, const CallError& error);

namespace detail {
/// Runs `body`; failures go to `fail(const CallError&)`.
template <class Body, class Fail>
inline __attribute__((always_inline)) int guarded(Body&& body, Fail&& fail) {
  try {
    body();
    return MPI_SUCCESS;
  } catch (const CallError& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(CallError(MPI_ERR_NO_MEM, "no memory"));
  }
}
}  // namespace detail

/// For calls on a communicator: body(Rank&, Communicator&).
template <class Body>
inline __attribute__((always_inline)) int on_communicator(const char* call, MPI_Comm handle, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  Communicator* const communicator = rank.find<Communicator>(handle);
  return detail::guarded(
      [&] {
        require(communicator != nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL or not valid");
        body(rank, *communicator);
      },
      [&](const CallError& error) { return handle_error(rank, call, communicator, error); });
}

/// For calls without a communicator, window or file: body(Rank&).
template <class Body>
inline __attribute__((always_inline)) int on_rank(const char* call, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  return detail::guarded([&] { body(rank); },
                         [&](const CallError& error) {
                           return handle_error(rank, call, static_cast<Communicator*>(nullptr), error);
                         });
}

/// For calls that are allowed at any time of a rank's life, also before MPI_Init: body(Rank&). Failures
/// follow the handler of MPI_COMM_WORLD.
template <class Body>
inline __attribute__((always_inline)) int at_any_time(const char* call, Body&& body) {
  Rank& rank = this_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  return detail::guarded([&] { body(rank); },
                         [&](const CallError& error) {
                           return handle_error(rank, call, static_cast<Communicator*>(nullptr), error);
                         });
}

/// The object of a handle of the program; a null or invalid one is an error of class `code`.
template <class T, class Handle>
T& checked(Rank& rank, Handle handle, int code, const char* text) {
  T* const object = rank.find<T>(handle);
  require(object != nullptr, code, text);
  return *object;
}

/// Ends the job after a message on standard error; `code` is the exit code.
[[noreturn]] void end_job(Rank& rank, int code, const std::string& message);

}  // namespace taihu::mpi
