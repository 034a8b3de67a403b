// SPDX-License-Identifier: Apache-2.0
// Failures of system calls in the words of MPI (MPI-3.1 section 13.7).
#pragma once

#include <string>

#include "taihu/mpi/error.h"

namespace taihu::mpi::files {

/// The error class that fits an errno value best; MPI_ERR_IO when none fits.
int file_error_class(int error_number) noexcept;

/// The failure of `action` ("open", "write 10 bytes at 20 of", ...) on `path`, with the system's text.
CallError file_error(int error_number, const std::string& action, const std::string& path);

}  // namespace taihu::mpi::files
