// SPDX-License-Identifier: Apache-2.0
// Strong connections: neighbours whose errors the smoother alone cannot make differ. The graph of the strong
// entries of a matrix, each row with its own vertex.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Row i has the vertices column[starts[i]] .. column[starts[i + 1]], local columns of the matrix, with the
/// matrix value. The arrays belong to the matrix where all its entries are strong.
struct StrengthGraph {
  LocalIndex rows = 0;
  Partition partition;
  Array<Offset> starts;
  Array<LocalIndex> column;
  Array<double> value;
};

/// Entries with a_ij^2 > threshold^2 m_i m_j, where m_i is the largest off-diagonal |a_ik|, and the
/// diagonal. Unlike a comparison with the diagonal (Vanek, Mandel, Brezina 1996) this keeps couplings of
/// stencils with many neighbours. The result may borrow from the matrix. Collective.
StrengthGraph symmetric_strength(const Context& context, DistributedMatrix& matrix, double threshold);

}  // namespace taihu::amg
