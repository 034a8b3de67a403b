// SPDX-License-Identifier: Apache-2.0
// Reads what PETSc's MatView and VecView write to a binary viewer, all big-endian:
//     matrix: 1211216, rows, columns, entries, length of each row, columns of all rows, values (double)
//     vector: 1211214, elements, values
// with integers of 4 bytes, or of 8 where PETSc was built with 64-bit indices. A file may hold several one
// behind the other.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Whether the bytes begin with a matrix or vector of PETSc.
bool looks_like_petsc(std::string_view bytes);

/// The first object of the file, which must be a matrix. Every rank reads the file and keeps its rows.
/// Collective. Throws Error "file: byte ...: ..." on every rank.
DistributedMatrix read_petsc_matrix(const Context& context, const std::string& path);

/// The first vector of the file, also behind a matrix: the rows of this rank. Throws Error as above.
std::vector<double> read_petsc_vector(const std::string& path, const Distribution& rows, int rank);

}  // namespace taihu::amg
