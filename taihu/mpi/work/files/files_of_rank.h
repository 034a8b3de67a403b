// SPDX-License-Identifier: Apache-2.0
// What is kept for a rank about all its files.
#pragma once

#include <map>
#include <string>

#include "taihu/mpi/work/files/file.h"

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

}  // namespace taihu::mpi::files
