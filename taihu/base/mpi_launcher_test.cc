// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/mpi_launcher.h"

#include <gtest/gtest.h>

#include <map>

#include "taihu/base/error.h"

namespace taihu {
namespace {

std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> table;
  return table;
}

const char* look_up(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.c_str();
}

std::optional<MpiLibrary> library_for(const std::map<std::string, std::string>& environment) {
  variables() = environment;
  return launcher_library(look_up);
}

long processes_for(const std::map<std::string, std::string>& environment) {
  variables() = environment;
  return launched_processes(look_up);
}

TEST(LauncherLibrary, IsNoneWithoutALauncher) {
  EXPECT_EQ(library_for({}), std::nullopt);
  EXPECT_EQ(library_for({{"SLURM_PROCID", "0"}}), std::nullopt) << "a batch script's own shell";
}

TEST(LauncherLibrary, FollowsTheLauncher) {
  EXPECT_EQ(library_for({{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "0"}}), MpiLibrary::open_mpi);
  EXPECT_EQ(library_for({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}}), MpiLibrary::mpich);
  EXPECT_EQ(library_for({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), MpiLibrary::mpich);
  EXPECT_EQ(library_for({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "2"}, {"SLURM_PROCID", "0"}}),
            MpiLibrary::mpich)
      << "mpiexec.hydra inside a Slurm job";
}

TEST(LauncherLibrary, OfPmixWithoutSlurmIsOpenMpi) {
  EXPECT_EQ(library_for({{"PMIX_RANK", "0"}}), MpiLibrary::open_mpi);
}

TEST(LaunchedProcesses, AreCountedWhoeverStartedThem) {
  EXPECT_EQ(processes_for({}), 1);
  EXPECT_EQ(processes_for({{"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "0"}}), 3);
  EXPECT_EQ(processes_for({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}), 4);
  EXPECT_EQ(processes_for({{"PMIX_RANK", "1"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "5"}}), 5);
  EXPECT_EQ(processes_for({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "5"}}), 1) << "no MPI process";
  EXPECT_EQ(processes_for({{"PMI_SIZE", "many"}}), 1);
}

TEST(LaunchedNumber, IsWhatTheLauncherSays) {
  const auto number_for = [](const std::map<std::string, std::string>& environment) {
    variables() = environment;
    return launched_number(look_up);
  };
  EXPECT_EQ(number_for({}), 0);
  EXPECT_EQ(number_for({{"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_RANK", "2"}}), 2);
  EXPECT_EQ(number_for({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}}), 1);
  EXPECT_EQ(number_for({{"PMIX_RANK", "3"}, {"SLURM_PROCID", "3"}}), 3);
  EXPECT_EQ(number_for({{"PMIX_RANK", "2"}}), 2);
  EXPECT_EQ(number_for({{"SLURM_PROCID", "3"}}), 0) << "no MPI process";
  EXPECT_EQ(number_for({{"PMI_RANK", "some"}}), 0);
}

TEST(LauncherLibrary, IsWhatTaihuMpiSays) {
  EXPECT_EQ(library_for({{"TAIHU_MPI", "mpich"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), MpiLibrary::mpich);
  EXPECT_EQ(library_for({{"TAIHU_MPI", "openmpi"}, {"PMI_RANK", "0"}}), MpiLibrary::open_mpi);
  EXPECT_EQ(library_for({{"TAIHU_MPI", ""}}), std::nullopt);
}

TEST(LauncherLibrary, RefusesWhatItCannotDecideAndSaysWhatToDo) {
  for (const auto& environment : std::vector<std::map<std::string, std::string>>{
           {{"SLURM_PROCID", "1"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}},
           {{"SLURM_PROCID", "1"}, {"PMIX_RANK", "1"}},
           {{"TAIHU_MPI", "lam"}}}) {
    try {
      library_for(environment);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("TAIHU_MPI"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace taihu
