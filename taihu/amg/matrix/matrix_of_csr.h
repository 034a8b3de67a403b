// SPDX-License-Identifier: Apache-2.0
// A matrix from compressed rows that somebody else has.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// The square matrix with the entries starts[i] .. starts[i + 1] of `columns` and `values` in row i, all
/// counted from 0, for a context of one rank. `starts` is copied. Columns of 32 bits and values are used in
/// place, and must outlive the matrix unchanged, where the columns of each row ascend; else all is copied,
/// ordered, and repeated entries are added up. Throws Error for starts that fall or columns outside of the
/// matrix.
DistributedMatrix matrix_of_csr(const Context& context, GlobalIndex rows, const std::int32_t* starts,
                                const std::int32_t* columns, const double* values);
DistributedMatrix matrix_of_csr(const Context& context, GlobalIndex rows, const std::int64_t* starts,
                                const std::int64_t* columns, const double* values);

}  // namespace taihu::amg
