// SPDX-License-Identifier: Apache-2.0
// What datatypes need from the part of the library that keeps attributes: it comes later in the order of the
// parts, so it enters its functions here when the library is loaded.
#pragma once

#include "taihu/mpi/datatype/datatype.h"

namespace taihu::mpi {

class Rank;

struct TypeAttributes {
  /// Runs the copy functions for all attributes of `from` (MPI_Type_dup); throws CallError when one fails.
  void (*copy)(Rank& rank, Datatype& from, Datatype& to) = nullptr;
  /// Runs the delete functions of all attributes of `type` (MPI_Type_free); throws CallError when one fails.
  void (*remove)(Rank& rank, Datatype& type) = nullptr;
};

/// Written before any rank runs, only read afterwards.
inline TypeAttributes type_attributes;

}  // namespace taihu::mpi
