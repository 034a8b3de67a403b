// SPDX-License-Identifier: Apache-2.0
// Reads the files of hypre's IJ interface, one for each rank that wrote: NAME.00000, NAME.00001, ...
//     matrix: "first_row last_row first_column last_column", then lines "row column value"
//     vector: "first_row last_row", then lines "row value"
//     matrix as NAME.00000.bin: 11 words of 8 bytes (1, bytes of an index, bytes of a value, three sizes that
//     are not needed, entries, first_row, last_row, first_column, last_column), rows, columns, values; all
//     little-endian
// Indices count from 0 in most files; the lowest first row is row 0.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Whether `path` is NAME, NAME.00000 or NAME.00000.bin of such files.
bool looks_like_hypre_ij(const std::string& path);

/// The matrix in all files. Every rank reads them and keeps its rows. Collective. Throws Error with file and
/// place on every rank.
DistributedMatrix read_hypre_matrix(const Context& context, const std::string& path);

/// The vector in all files: the rows of this rank. Throws Error as above.
std::vector<double> read_hypre_vector(const std::string& path, const Distribution& rows, int rank);

}  // namespace taihu::amg
