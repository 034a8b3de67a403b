// SPDX-License-Identifier: Apache-2.0
// What the code of a reduction stands for, for reports of calls that do not fit together.
#pragma once

#include <cstdint>
#include <string>

namespace taihu::mpi {

/// "MPI_SUM of MPI_DOUBLE", for a code of Reducer::reduction().
std::string reduction_text(std::uint32_t code);

}  // namespace taihu::mpi
