// SPDX-License-Identifier: Apache-2.0
// Reads a matrix or a vector from a file of any known format, which is told from its content, for hypre's
// files, which have no mark, from their names: Matrix Market, PETSc binary, hypre IJ, scipy.sparse's .npz and
// NumPy's .npy.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// The matrix, its rows distributed evenly. Every rank reads the file and keeps its rows. Collective. Throws
/// Error with file and place on every rank.
DistributedMatrix read_matrix(const Context& context, const std::string& path);

/// The rows of this rank. Throws Error as above, also when there are not as many rows as in `rows`.
std::vector<double> read_vector(const std::string& path, const Distribution& rows, int rank);

}  // namespace taihu::amg
