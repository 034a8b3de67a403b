// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/predefined.h"

#include "taihu/mpi/objects/error_handler.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi {

void add_predefined_objects(Rank& rank) {
  add_predefined_error_handlers(rank.predefined);
  add_predefined_datatypes(rank.predefined);
  add_predefined_operations(rank.predefined);
  add_predefined(rank.predefined, MPI_GROUP_EMPTY, *new Group({}));
  add_environment_info(rank);
}

}  // namespace taihu::mpi
