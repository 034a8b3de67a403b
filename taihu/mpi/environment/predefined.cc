// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/predefined.h"

#include "taihu/mpi/collective_calls/operation.h"
#include "taihu/mpi/datatype/predefined_types.h"
#include "taihu/mpi/error_handler.h"
#include "taihu/mpi/info/info.h"
#include "taihu/mpi/rank.h"

namespace taihu::mpi {

void add_predefined_objects(Rank& rank) {
  add_predefined_error_handlers(rank.predefined);
  add_predefined_datatypes(rank.predefined);
  add_predefined_operations(rank.predefined);
  add_predefined(rank.predefined, MPI_GROUP_EMPTY, *new Group({}));
  add_environment_info(rank);
}

}  // namespace taihu::mpi
