// SPDX-License-Identifier: Apache-2.0
// What programs that were built for Open MPI name: their MPI library, its calls and its variables.
#pragma once

#include <string>
#include <string_view>

namespace taihu::mpi::open_mpi {

/// Whether `library` (a name such as libmpi.so.40) is the one of this ABI for C, or one that only this needs.
/// Those for Fortran and C++ call this one, so ranks get copies of them.
bool is_library(std::string_view library) noexcept;

/// Whether `library` is Open MPI's for Fortran. Some of its procedures read the inside of Open MPI's objects:
/// ours (symbol_of) come before those.
bool is_fortran_library(std::string_view library) noexcept;

/// Under which name this library has what such a program calls MPI_Send, PMPI_Send or mpi_wait_; empty for
/// names that are none of MPI.
std::string symbol_of(std::string_view name);

/// A variable of Open MPI's library: one of a predefined handle, or one that its own libraries for other
/// languages read. Null for other names.
const void* variable(std::string_view name) noexcept;

}  // namespace taihu::mpi::open_mpi
