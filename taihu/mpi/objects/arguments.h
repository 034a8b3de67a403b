// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that many calls share.
#pragma once

#include <string>

#include "taihu/mpi/error.h"
#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// `name`: of the argument in the standard.
inline void require_pointer(const void* argument, const char* name) {
  require(argument != nullptr, MPI_ERR_ARG,
          [&] { return std::string("argument ") + name + " is a null pointer"; });
}

/// For calls that make a communicator: when the call fails, the program finds MPI_COMM_NULL there and not
/// what was there before.
inline void require_result(MPI_Comm* result, const char* name) {
  require_pointer(result, name);
  *result = MPI_COMM_NULL;
}

inline void require_not_negative(int number, int code, const char* name) {
  require(number >= 0, code, [&] {
    return std::string("argument ") + name + " is " + std::to_string(number) + "; it must not be negative";
  });
}

/// `member` is a rank of a group or communicator of `size`.
inline void require_member(int member, int size, int code, const char* name) {
  require(member >= 0 && member < size, code, [&] {
    return std::string(name) + " " + std::to_string(member) + " is not in 0 .. " + std::to_string(size - 1);
  });
}

inline void require_intra(const Communicator& communicator) {
  require(!communicator.is_inter(), MPI_ERR_COMM,
          "the communicator is an intercommunicator; this call is for intracommunicators");
}
inline void require_inter(const Communicator& communicator) {
  require(communicator.is_inter(), MPI_ERR_COMM,
          "the communicator is an intracommunicator; this call is for intercommunicators");
}

}  // namespace taihu::mpi
