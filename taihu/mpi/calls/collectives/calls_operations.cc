// SPDX-License-Identifier: Apache-2.0
// Making and using operations.
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/collectives/arguments.h"

using namespace taihu::mpi;
using namespace taihu::mpi::collectives;

MPI_CALL(int, Op_create, (MPI_User_function * user_fn, int commute, MPI_Op* op)) {
  return on_rank("MPI_Op_create", [&](Rank&) {
    require(user_fn != nullptr && op != nullptr, MPI_ERR_ARG,
            "the function or the address is a null pointer");
    *op = handle_of<MPI_Op>(new Operation(user_fn, commute != 0));
  });
}

MPI_CALL(int, Op_create_c, (MPI_User_function_c * user_fn, int commute, MPI_Op* op)) {
  return on_rank("MPI_Op_create_c", [&](Rank&) {
    require(user_fn != nullptr && op != nullptr, MPI_ERR_ARG,
            "the function or the address is a null pointer");
    *op = handle_of<MPI_Op>(new Operation(user_fn, commute != 0));
  });
}

MPI_CALL(int, Op_free, (MPI_Op * op)) {
  return on_rank("MPI_Op_free", [&](Rank& rank) {
    require(op != nullptr, MPI_ERR_ARG, "the address of the operation is a null pointer");
    Operation& operation =
        checked<Operation>(rank, *op, MPI_ERR_OP, "the operation is MPI_OP_NULL or not valid");
    require(!operation.predefined, MPI_ERR_OP, "predefined operations cannot be freed");
    operation.release();
    *op = MPI_OP_NULL;
  });
}

MPI_CALL(int, Op_commutative, (MPI_Op op, int* commute)) {
  return on_rank("MPI_Op_commutative", [&](Rank& rank) {
    require(commute != nullptr, MPI_ERR_ARG, "the address for the answer is a null pointer");
    *commute =
        checked<Operation>(rank, op, MPI_ERR_OP, "the operation is MPI_OP_NULL or not valid").commutative ? 1
                                                                                                          : 0;
  });
}

#define COUNTED_CALLS "taihu/mpi/calls/collectives/calls_operations.inc"
#include "taihu/mpi/objects/counted_calls.h"
