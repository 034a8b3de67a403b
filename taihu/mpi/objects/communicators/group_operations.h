// SPDX-License-Identifier: Apache-2.0
// Arithmetic of groups (MPI-3.1 section 6.3). Throw CallError for bad arguments.
#pragma once

#include <span>
#include <vector>

#include "taihu/mpi/objects/group.h"

namespace taihu::mpi {

/// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Group& a, const Group& b);

/// Members of the new group, as ranks of the job. In the order of `a`; those only in `b` follow in its order.
std::vector<int> unite(const Group& a, const Group& b);
std::vector<int> intersect(const Group& a, const Group& b);
std::vector<int> subtract(const Group& a, const Group& b);

/// `members`: each at most once, all in the group.
std::vector<int> include(const Group& group, std::span<const int> members);
std::vector<int> exclude(const Group& group, std::span<const int> members);
/// The members that triplets (first, last, stride) name, in their order; each at most once.
std::vector<int> members_of_ranges(const Group& group, std::span<const int[3]> ranges);

}  // namespace taihu::mpi
