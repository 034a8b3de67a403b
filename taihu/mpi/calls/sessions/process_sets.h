// SPDX-License-Identifier: Apache-2.0
// The process sets of a job (MPI-5.0 section 11.3.2), by name: mpi://WORLD and mpi://SELF, which the standard
// names, taihu://node with the ranks of the caller's machine, taihu://process with those of its node process.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

std::span<const char* const> process_set_names() noexcept;

/// Ranks of the job, rising. Upper and lower case are the same in names. Error MPI_ERR_ARG: there is no such
/// set.
std::vector<int> members_of_set(Rank& rank, std::string_view name);

}  // namespace taihu::mpi
