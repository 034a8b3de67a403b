// SPDX-License-Identifier: Apache-2.0
// Guards of calls on files, as in call.h.
#pragma once

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/files/files_of_rank.h"

namespace taihu::mpi::files {

/// For calls on a file: body(Rank&, File&).
template <class Body>
inline __attribute__((always_inline)) int on_file(const char* call, MPI_File handle, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  File* const file = rank.find<File>(handle);
  return detail::guarded(
      [&] {
        require(file != nullptr, MPI_ERR_FILE, "the file is MPI_FILE_NULL or not valid");
        body(rank, *file);
      },
      [&](const CallError& error) { return handle_error(rank, call, file, error); });
}

/// For calls that concern files, without an open one: body(Rank&).
template <class Body>
inline __attribute__((always_inline)) int without_file(const char* call, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  return detail::guarded(
      [&] { body(rank); },
      [&](const CallError& error) { return handle_error(rank, call, static_cast<File*>(nullptr), error); });
}

}  // namespace taihu::mpi::files
