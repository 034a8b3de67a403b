// SPDX-License-Identifier: Apache-2.0
// How the rows of the next level are numbered and which rank gets them: in the order of what they stand for
// on this level, so the numbers are the same for any number of ranks; ranks begin at multiples of row_block,
// so that blocks of rows are too.
#pragma once

#include "taihu/amg/matrix/distribution.h"
#include "taihu/amg/parallel/context.h"

namespace taihu::amg {

struct CoarseNumbering {
  GlobalIndex first = 0;  ///< number of the first coarse row that stands for rows of this rank
  Distribution
      distribution;  ///< of the coarse rows; a rank may own few that stand for rows of its neighbours
};

/// For `mine` coarse rows that stand for rows of this rank. Collective.
CoarseNumbering number_coarse_rows(parallel::Communicator& communicator, GlobalIndex mine);

}  // namespace taihu::amg
