// SPDX-License-Identifier: Apache-2.0
// Which MPI library's launcher started this process, as its environment tells.
#pragma once

#include <optional>
#include <string>

namespace taihu::message {

enum class MpiLibrary { open_mpi, mpich };

/// Looks a variable up; null when it is not set. std::getenv, or a table in tests.
using Environment = const char* (*)(const char* name);

/// TAIHU_MPI (openmpi or mpich) decides when set; else the variables that mpirun or mpiexec set for their
/// processes. Nothing when no MPI launcher started this process. Throws Error when TAIHU_MPI has another
/// value, or when only Slurm's process management is seen, which serves both libraries.
std::optional<MpiLibrary> launcher_library(Environment environment);

/// "openmpi" or "mpich": the end of the shim's file name.
std::string shim_name(MpiLibrary library);

}  // namespace taihu::message
