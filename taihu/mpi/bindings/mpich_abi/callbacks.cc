// SPDX-License-Identifier: Apache-2.0
// Calls that take functions of the program: these get handles, statuses and codes of the other ABI.
#include <memory>

#include "taihu/mpi/bindings/mpich_abi/callbacks.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/operations/operation.h"

#define TAIHU_FOREIGN_NAMESPACE mpich
#define TAIHU_FOREIGN_CALL TAIHU_MPICH_CALL
#define TAIHU_FOREIGN_NAME(name) taihu_mpich_##name
#include "taihu/mpi/bindings/foreign_abi/callbacks.inc"
#undef TAIHU_FOREIGN_NAMESPACE
#undef TAIHU_FOREIGN_CALL
#undef TAIHU_FOREIGN_NAME

namespace taihu::mpi::mpich {
namespace {

int large_conversion(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace
}  // namespace taihu::mpi::mpich

TAIHU_MPICH_CALL(int, Op_create, (MPI_User_function * user_fn, int commute, int* op)) {
  return out_error(on_rank("MPI_Op_create", [&](Rank&) {
    require_pointer(reinterpret_cast<const void*>(user_fn), "user_fn");
    require_pointer(op, "op");
    *op = out_handle(handle_of<MPI_Op>(
        new Operation(user_fn, commute != 0, [](MPI_Datatype type) { return out_handle(type); })));
  }));
}

TAIHU_MPICH_CALL(int, Op_create_c, (MPI_User_function_c * user_fn, int commute, int* op)) {
  return out_error(on_rank("MPI_Op_create_c", [&](Rank&) {
    require_pointer(reinterpret_cast<const void*>(user_fn), "user_fn");
    require_pointer(op, "op");
    *op = out_handle(handle_of<MPI_Op>(
        new Operation(user_fn, commute != 0, [](MPI_Datatype type) { return out_handle(type); })));
  }));
}

// MPICH's library for Fortran calls it right after the call above.
TAIHU_MPICH_CALL(void, internal_Grequest_set_lang_f77, (int /*request*/)) {
  if (latest != nullptr) latest->is_fortran = true;
}

TAIHU_MPICH_CALL(int, Register_datarep_c,
                 (const char* datarep, void (*read)(), void (*write)(), int (*extent)(int, MPI_Aint*, void*),
                  void* extra_state)) {
  auto kept = std::make_unique<Representation>(extent, extra_state);
  const int code =
      PMPI_Register_datarep_c(datarep, read == nullptr ? MPI_CONVERSION_FN_NULL_C : &large_conversion,
                              write == nullptr ? MPI_CONVERSION_FN_NULL_C : &large_conversion,
                              extent != nullptr ? &extent_in_file : nullptr, kept.get());
  if (code == MPI_SUCCESS) static_cast<void>(kept.release());
  return out_error(code);
}
