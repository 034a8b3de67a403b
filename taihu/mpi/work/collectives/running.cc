// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/running.h"

#include "taihu/abi/parallelc.h"

namespace taihu::mpi::collectives {
namespace {

[[noreturn]] void fail(Communicator& communicator, int code) {
  if (code == M_ERROR_MEMORY) throw CallError(MPI_ERR_NO_MEM, "no memory for intermediate results");
  const std::string& problem = communicator.collectives().problem();
  const bool truncated = code == M_ERROR_TRUNCATE;
  throw CallError(truncated ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER,
                  !problem.empty() ? problem
                  : truncated      ? "a member sent another length than this rank expects"
                                   : "the calls of the members do not fit together");
}

}  // namespace

void check_code(Communicator& communicator, int code, const std::string& own_problem) {
  if (!own_problem.empty()) [[unlikely]]
    throw CallError(MPI_ERR_TRUNCATE, own_problem);
  if (code != M_SUCCESS) [[unlikely]]
    fail(communicator, code);
}

}  // namespace taihu::mpi::collectives
