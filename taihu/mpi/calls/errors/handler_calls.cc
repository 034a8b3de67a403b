// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_..._errhandler, MPI_Errhandler_free, and their names of MPI-1.
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"

namespace taihu::mpi {
namespace {

// The bodies are inlined, so that the guards see the place in the program that made the call.
#define TAIHU_BODY inline __attribute__((always_inline)) int

TAIHU_BODY create(const char* call, MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  return on_rank(call, [&](Rank&) {
    require_pointer(errhandler, "errhandler");
    *errhandler = create_handler(ErrorHandler::Use::communicator, reinterpret_cast<void (*)()>(function));
  });
}

TAIHU_BODY set(const char* call, MPI_Comm comm, MPI_Errhandler errhandler) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    replace_handler(communicator.errors, handler_for(rank, errhandler, ErrorHandler::Use::communicator));
  });
}

TAIHU_BODY get(const char* call, MPI_Comm comm, MPI_Errhandler* errhandler) {
  return on_communicator(call, comm, [&](Rank&, Communicator& communicator) {
    require_pointer(errhandler, "errhandler");
    *errhandler = handle_for_program(communicator.errors);
  });
}

#undef TAIHU_BODY

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_create_errhandler,
         (MPI_Comm_errhandler_function * comm_errhandler_fn, MPI_Errhandler* errhandler)) {
  return create("MPI_Comm_create_errhandler", comm_errhandler_fn, errhandler);
}

MPI_CALL(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  return set("MPI_Comm_set_errhandler", comm, errhandler);
}

MPI_CALL(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  return get("MPI_Comm_get_errhandler", comm, errhandler);
}

MPI_CALL(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode)) {
  return on_communicator("MPI_Comm_call_errhandler", comm, [&](Rank& rank, Communicator& communicator) {
    call_handler(rank, communicator.errors, {&communicator, 0, name_of(communicator)},
                 "MPI_Comm_call_errhandler", errorcode);
  });
}

MPI_CALL(int, Errhandler_free, (MPI_Errhandler * errhandler)) {
  return on_rank("MPI_Errhandler_free", [&](Rank& rank) {
    require_pointer(errhandler, "errhandler");
    ErrorHandler& handler = checked<ErrorHandler>(rank, *errhandler, MPI_ERR_ERRHANDLER,
                                                  "the error handler is MPI_ERRHANDLER_NULL or not valid");
    // ..._get_errhandler gives handles of predefined ones too, which programs free.
    if (!handler.predefined) handler.release();
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}

MPI_CALL(int, Errhandler_create, (MPI_Handler_function * errhandler_fn, MPI_Errhandler* errhandler)) {
  return create("MPI_Errhandler_create", errhandler_fn, errhandler);
}

MPI_CALL(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  return set("MPI_Errhandler_set", comm, errhandler);
}

MPI_CALL(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  return get("MPI_Errhandler_get", comm, errhandler);
}
