// SPDX-License-Identifier: Apache-2.0
// What programs that were built for the MPICH ABI name: their MPI library, and its calls.
#pragma once

#include <string>
#include <string_view>

namespace taihu::mpi::mpich {

/// Whether `library` (a name such as libmpi.so.12) is the one of this ABI for C. Those for Fortran and C++
/// call this one, so ranks get copies of them.
bool is_library(std::string_view library) noexcept;

/// Under which name this library has what such a program calls MPI_Send, PMPI_Send or MPIR_Dup_fn; empty for
/// names that are none of MPI.
std::string symbol_of(std::string_view name);

/// A function in place of call `name`, which is not available here: it ends the job with a message that
/// says so. Null when there are too many such calls. Any thread.
void* unavailable_call(std::string_view name);

}  // namespace taihu::mpi::mpich
