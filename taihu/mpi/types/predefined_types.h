// SPDX-License-Identifier: Apache-2.0
// The predefined datatypes: one table for all ranks of the process, made at first use and never changed.
#pragma once

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

/// Enters them into a rank's table. Types that this platform does not have (MPI_REAL2, MPI_COMPLEX4,
/// MPI_LOGICAL16 without 16-byte integers) are left out, which makes their handles invalid.
void add_predefined_datatypes(PredefinedObjects& objects);

/// The predefined type of a handle of taihu/abi/mpi.h; null when there is none.
Datatype* predefined_datatype(MPI_Datatype handle) noexcept;

/// The parts of a pair type (MPI_DOUBLE_INT and so on): types and byte offsets.
struct PairParts {
  const Datatype* first;
  const Datatype* second;
  std::size_t second_offset;
};
/// Null unless `type` is a predefined pair.
const PairParts* pair_parts(const Datatype& type) noexcept;

}  // namespace taihu::mpi::types
