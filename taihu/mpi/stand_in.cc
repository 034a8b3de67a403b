// SPDX-License-Identifier: Apache-2.0
// Until the parts of the library are there: what the node process needs to start ranks that do not call MPI.
#include "taihu/mpi/predefined.h"

namespace taihu::mpi {

__attribute__((weak)) void add_predefined_objects(Rank& /*rank*/) {}

}  // namespace taihu::mpi
