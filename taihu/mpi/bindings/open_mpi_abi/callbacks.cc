// SPDX-License-Identifier: Apache-2.0
// Calls that take functions of the program: these get handles, statuses and codes of the other ABI.
#include <memory>

#include "taihu/mpi/bindings/open_mpi_abi/callbacks.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/operations/operation.h"

#define TAIHU_FOREIGN_NAMESPACE open_mpi
#define TAIHU_FOREIGN_CALL TAIHU_OPEN_MPI_CALL
#define TAIHU_FOREIGN_NAME(name) taihu_open_mpi_##name
#include "taihu/mpi/bindings/foreign_abi/callbacks.inc"
#undef TAIHU_FOREIGN_NAMESPACE
#undef TAIHU_FOREIGN_CALL
#undef TAIHU_FOREIGN_NAME

TAIHU_OPEN_MPI_CALL(int, Op_create, (MPI_User_function * user_fn, int commute, Handle* op)) {
  return out_error(on_rank("MPI_Op_create", [&](Rank&) {
    require_pointer(reinterpret_cast<const void*>(user_fn), "user_fn");
    require_pointer(op, "op");
    *op = out_handle(handle_of<MPI_Op>(
        new Operation(user_fn, commute != 0, nullptr, [](MPI_Datatype type) { return out_handle(type); })));
  }));
}

// What MPI_COMM_NULL_COPY_FN and its sisters are there; programs may also call them themselves.
TAIHU_OPEN_MPI_CALL(int, Null_copy_fn, (Handle, int, void*, void*, void*, int* flag)) {
  *flag = 0;
  return MPI_SUCCESS;
}
TAIHU_OPEN_MPI_CALL(int, Null_delete_fn, (Handle, int, void*, void*)) {
  return MPI_SUCCESS;
}

// What Open MPI's library for Fortran has no call of C for.

extern "C" int taihu_open_mpi_start_fortran_request(int (*query_fn)(void*, Status*), int (*free_fn)(void*),
                                                    int (*cancel_fn)(void*, int), void* extra_state,
                                                    Handle* request) {
  return start_generalized({query_fn, free_fn, cancel_fn, extra_state, true}, request);
}
