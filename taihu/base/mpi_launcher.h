// SPDX-License-Identifier: Apache-2.0
// What the launcher of an MPI library (mpirun, mpiexec, srun with PMI) tells the processes that it starts, in
// their environment. The names of its variables stand here and nowhere else.
#pragma once

#include <optional>
#include <string>

namespace taihu {

enum class MpiLibrary { open_mpi, mpich };

/// Looks a variable up; null when it is not set. `process_environment`, or a table in tests.
using Environment = const char* (*)(const char* name);
/// std::getenv.
const char* process_environment(const char* name) noexcept;

/// Whether a launcher that speaks PMI or PMIx, or mpirun of Open MPI, has started this process. A batch
/// script's own shell is none: Slurm's variables alone do not count.
bool is_launched(Environment environment);

/// TAIHU_MPI (openmpi or mpich) decides when set; else the variables that mpirun or mpiexec set for their
/// processes. Nothing when no MPI launcher started this process. Throws Error when TAIHU_MPI has another
/// value, or when only Slurm's process management is seen, which serves both libraries.
std::optional<MpiLibrary> launcher_library(Environment environment);

/// How many processes the launcher has started of the program; 1 without one, or when it does not say.
long launched_processes(Environment environment);

/// The number that the launcher has given to this process; 0 without one, or when it does not say.
long launched_number(Environment environment);

/// The variables in which launchers number the processes on a node, each under its own name.
inline constexpr const char* index_on_node_variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                                          "SLURM_LOCALID"};

/// "openmpi" or "mpich": the end of the names of files that are made for one library.
std::string file_suffix(MpiLibrary library);

}  // namespace taihu
