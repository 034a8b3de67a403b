// SPDX-License-Identifier: Apache-2.0
// Reads arrays of NumPy (.npy, format 1 to 3) and sparse matrices that scipy.sparse.save_npz wrote: a zip
// archive with the arrays indptr, indices, data, shape and format of a matrix in CSR.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

bool looks_like_npz(std::string_view bytes);
bool looks_like_npy(std::string_view bytes);

/// The matrix in a .npz file. Every rank reads the file and keeps its rows. Collective. Throws Error
/// "file: byte ...: ..." on every rank.
DistributedMatrix read_npz_matrix(const Context& context, const std::string& path);

/// The array of one dimension, or of one column, in a .npy file: the rows of this rank. Throws Error as
/// above.
std::vector<double> read_npy_vector(const std::string& path, const Distribution& rows, int rank);

}  // namespace taihu::amg
