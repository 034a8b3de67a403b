// SPDX-License-Identifier: Apache-2.0
// Guards of calls on files, as in call.h; what is kept for a rank about all its files.
#pragma once

#include <map>
#include <string>

#include "taihu/mpi/call.h"
#include "taihu/mpi/files/file.h"

namespace taihu::mpi::files {

/// A representation of MPI_Register_datarep that needs no conversion.
struct RegisteredRepresentation {
  MPI_Datarep_extent_function* extent;
  void* extra_state;
};

struct FilesOfRank final : RankPart {
  explicit FilesOfRank(Rank& rank)
      : default_errors(Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN))) {
    serve_shared_pointers(rank.node());
  }

  Reference<ErrorHandler> default_errors;  ///< that of MPI_FILE_NULL
  std::map<std::string, RegisteredRepresentation> representations;
};

inline FilesOfRank& files_of(Rank& rank) {
  return rank.part<FilesOfRank>(Part::files);
}

/// For calls on a file: body(Rank&, File&).
template <class Body>
int on_file(const char* call, MPI_File handle, Body&& body) {
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
int without_file(const char* call, Body&& body) {
  Rank& rank = running_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  return detail::guarded(
      [&] { body(rank); },
      [&](const CallError& error) { return handle_error(rank, call, static_cast<File*>(nullptr), error); });
}

}  // namespace taihu::mpi::files
