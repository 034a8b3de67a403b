// SPDX-License-Identifier: Apache-2.0
// Reads and writes Matrix Market files (Boisvert, Pozo, Remington 1996):
//     file   := "%%MatrixMarket matrix" format field symmetry, comment lines "% ...", size line, entries
//     format := coordinate | array      field := real | integer | pattern      symmetry := general |
//     symmetric | skew-symmetric
// Rows and columns count from 1; a symmetric file has the lower triangle only. Repeated entries are added up.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// The matrix in a coordinate file, its rows distributed evenly. Every rank reads the file and keeps its
/// rows. Collective. Throws Error "file:line:column: ..." on every rank.
DistributedMatrix read_matrix_market(const Context& context, const std::string& path);

/// The first column of an array or coordinate file: the rows of this rank. Throws Error as above, also when
/// the file does not have as many rows as `rows`.
std::vector<double> read_vector_market(const std::string& path, const Distribution& rows, int rank);

/// Writes a vector, of which every rank has its rows in the order of the ranks, as an array file; all digits
/// of each number. Collective; rank 0 writes, and has the part of one other rank at a time. Throws Error on
/// every rank when it cannot.
void write_vector_market(const Context& context, const std::string& path, const std::vector<double>& x);

}  // namespace taihu::amg
