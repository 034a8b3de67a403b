// SPDX-License-Identifier: Apache-2.0
// Views: which bytes of a file a rank sees, and in which representation (MPI-3.1 section 13.3).
#pragma once

#include <cstdint>
#include <string>

#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/work/files/pattern.h"

namespace taihu::mpi::files {

/// Immutable after it was made.
struct View {
  std::int64_t displacement = 0;
  Reference<Datatype> etype, filetype;
  std::string representation;    ///< as the program gave it
  bool external32 = false;       ///< data are converted; "internal" and "native" are the same
  std::int64_t etype_bytes = 1;  ///< in the file
  Pattern pattern;

  /// The data byte at which etype `etype` starts. Error MPI_ERR_ARG when it, or what follows in `bytes`
  /// bytes, is nowhere in a file of 63-bit positions.
  std::int64_t data_of(std::int64_t etype, std::int64_t bytes) const;
  /// File position of the etype. Error MPI_ERR_ARG, also when the view has no data.
  std::int64_t position_of(std::int64_t etype) const;
};

/// Makes a view. Errors: MPI_ERR_DISP, MPI_ERR_TYPE, MPI_ERR_UNSUPPORTED_DATAREP.
/// `writable`: the file may be written, so types with overlapping data are refused.
View make_view(std::int64_t displacement, Datatype& etype, Datatype& filetype,
               const std::string& representation, bool writable);

/// Extent of a type in a file of the representation (MPI_File_get_type_extent).
MPI_Aint extent_in_file(const Datatype& type, bool external32);

}  // namespace taihu::mpi::files
