// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/mpi_launcher.h"

#include "taihu/base/error.h"

namespace taihu::message {

std::optional<MpiLibrary> launcher_library(Environment environment) {
  const auto set = [&](const char* name) { return environment(name) != nullptr; };
  if (const char* chosen = environment("TAIHU_MPI"); chosen != nullptr && *chosen != '\0') {
    const std::string text = chosen;
    if (text == "openmpi") return MpiLibrary::open_mpi;
    if (text == "mpich") return MpiLibrary::mpich;
    throw taihu::Error("TAIHU_MPI is '" + text +
                       "', which names no known MPI library; set it to openmpi or mpich");
  }
  if (set("OMPI_COMM_WORLD_SIZE")) return MpiLibrary::open_mpi;
  // Hydra, MPICH's launcher, sets its own variables beside those of PMI.
  if (set("PMI_RANK") && (set("MPI_LOCALNRANKS") || set("HYDI_CONTROL_FD") || set("HYDRA_CONTROL_FD"))) {
    return MpiLibrary::mpich;
  }
  const bool slurm = set("SLURM_PROCID");
  if (slurm && (set("PMI_RANK") || set("PMIX_RANK"))) {
    throw taihu::Error(
        "started by Slurm's srun, which serves Open MPI and MPICH alike; set TAIHU_MPI to openmpi or mpich");
  }
  if (set("PMI_RANK") && set("PMI_SIZE")) return MpiLibrary::mpich;
  return std::nullopt;
}

std::string shim_name(MpiLibrary library) {
  return library == MpiLibrary::open_mpi ? "openmpi" : "mpich";
}

}  // namespace taihu::message
