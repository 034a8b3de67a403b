// SPDX-License-Identifier: Apache-2.0
// Names and texts of the error classes of the standard.
#pragma once

namespace taihu::mpi {

/// "MPI_ERR_RANK"; null when the standard has no such class.
const char* error_class_name(int error_class) noexcept;
/// "a rank is not in the communicator"; null when the standard has no such class.
const char* error_class_text(int error_class) noexcept;

}  // namespace taihu::mpi
