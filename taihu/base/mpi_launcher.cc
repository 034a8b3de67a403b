// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/mpi_launcher.h"

#include <algorithm>
#include <cstdlib>

#include "taihu/base/error.h"

namespace taihu {

const char* process_environment(const char* name) noexcept {
  return std::getenv(name);
}

bool is_launched(Environment environment) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (environment(name) != nullptr) return true;
  return false;
}

std::optional<MpiLibrary> launcher_library(Environment environment) {
  const auto set = [&](const char* name) { return environment(name) != nullptr; };
  if (const char* chosen = environment("TAIHU_MPI"); chosen != nullptr && *chosen != '\0') {
    const std::string text = chosen;
    if (text == "openmpi") return MpiLibrary::open_mpi;
    if (text == "mpich") return MpiLibrary::mpich;
    throw Error("TAIHU_MPI is '" + text + "', which names no known MPI library; set it to openmpi or mpich");
  }
  if (!is_launched(environment)) return std::nullopt;
  if (set("OMPI_COMM_WORLD_SIZE")) return MpiLibrary::open_mpi;
  // Hydra, MPICH's launcher, sets its own variables in addition to those of PMI.
  if (set("MPI_LOCALNRANKS") || set("HYDI_CONTROL_FD") || set("HYDRA_CONTROL_FD")) return MpiLibrary::mpich;
  if (set("SLURM_PROCID"))
    throw Error(
        "started by Slurm's srun, which serves Open MPI and MPICH alike; set TAIHU_MPI to openmpi or mpich");
  // PMIx without Slurm comes from the launcher of Open MPI.
  return set("PMIX_RANK") ? MpiLibrary::open_mpi : MpiLibrary::mpich;
}

long launched_processes(Environment environment) {
  if (!is_launched(environment)) return 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* processes = environment(name)) return std::max(1L, std::strtol(processes, nullptr, 10));
  return 1;
}

long launched_number(Environment environment) {
  if (!is_launched(environment)) return 0;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* number = environment(name)) return std::max(0L, std::strtol(number, nullptr, 10));
  return 0;
}

std::string file_suffix(MpiLibrary library) {
  return library == MpiLibrary::open_mpi ? "openmpi" : "mpich";
}

}  // namespace taihu
