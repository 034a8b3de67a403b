// SPDX-License-Identifier: Apache-2.0
// Calls that take functions of the program: these get handles, statuses and codes of the other ABI.
#include <memory>

#include "taihu/mpi/bindings/mpich_abi/callbacks.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/operations/operation.h"

namespace taihu::mpi::mpich {
namespace {

// Error handlers.

void call_handler(void (*function)(), ErrorHandler::Use use, void* handle, int* code) {
  int theirs = out_error(*code);
  if (use == ErrorHandler::Use::file) {
    void* file = out_file(static_cast<MPI_File>(handle));
    reinterpret_cast<void (*)(void**, int*, ...)>(function)(&file, &theirs);
  } else {
    int object = out_handle(handle);
    reinterpret_cast<void (*)(int*, int*, ...)>(function)(&object, &theirs);
  }
  *code = in_error(theirs);
}

int create_handler(const char* call, ErrorHandler::Use use, void (*function)(), int* handler) {
  return out_error(on_rank(call, [&](Rank& rank) {
    require_pointer(handler, "errhandler");
    const MPI_Errhandler made = mpi::create_handler(use, function);
    checked<ErrorHandler>(rank, made, MPI_ERR_ERRHANDLER, "").caller = &call_handler;
    *handler = out_handle(made);
  }));
}

// Keys of attributes.

int call_copy(void (*function)(), Carrier, void* handle, int keyval, void* extra_state, void* in, void* out,
              int* flag) {
  return in_error(
      reinterpret_cast<CopyFunction*>(function)(out_handle(handle), keyval, extra_state, in, out, flag));
}
int call_remove(void (*function)(), Carrier, void* handle, int keyval, void* value, void* extra_state) {
  return in_error(
      reinterpret_cast<DeleteFunction*>(function)(out_handle(handle), keyval, value, extra_state));
}
const ForeignAttributeCalls attribute_calls{&call_copy, &call_remove};

int create_keyval(const char* call, Carrier carrier, CopyFunction* copy, DeleteFunction* remove, int* keyval,
                  void* extra_state) {
  return out_error(on_rank(call, [&](Rank& rank) {
    require_pointer(keyval, "keyval");
    const auto duplicate = reinterpret_cast<void (*)()>(std::uintptr_t{1});
    *keyval = Attributes::of(rank).create_keyval(
        {carrier, Language::c, copy == &taihu_mpich_Dup_fn ? duplicate : reinterpret_cast<void (*)()>(copy),
         reinterpret_cast<void (*)()>(remove), extra_state, &attribute_calls});
  }));
}

// Generalized requests.

struct Generalized {
  int (*query)(void* state, Status* status);
  int (*free)(void* state);
  int (*cancel)(void* state, int complete);
  void* state;
  bool is_fortran = false;  ///< the functions are subroutines: all by address, the code last
};
/// The one that this thread has made last: what it is made of shows after it is made.
thread_local Generalized* latest = nullptr;

template <class... Arguments>
int call_subroutine(void* subroutine, Arguments*... arguments) {
  int code = MPI_SUCCESS;
  reinterpret_cast<void (*)(Arguments*..., int*)>(subroutine)(arguments..., &code);
  return in_error(code);
}

int query(void* kept, MPI_Status* status) {
  const auto& request = *static_cast<Generalized*>(kept);
  Status theirs{};
  const int code = request.is_fortran
                       ? call_subroutine(reinterpret_cast<void*>(request.query), request.state, &theirs)
                       : in_error(request.query(request.state, &theirs));
  in_status(*status, theirs);
  return code;
}
int free_state(void* kept) {
  const std::unique_ptr<Generalized> request(static_cast<Generalized*>(kept));
  if (latest == request.get()) latest = nullptr;
  if (request->free == nullptr) return MPI_SUCCESS;
  if (request->is_fortran) return call_subroutine(reinterpret_cast<void*>(request->free), request->state);
  return in_error(request->free(request->state));
}
int cancel(void* kept, int complete) {
  const auto& request = *static_cast<Generalized*>(kept);
  if (request.is_fortran)
    return call_subroutine(reinterpret_cast<void*>(request.cancel), request.state, &complete);
  return in_error(request.cancel(request.state, complete));
}

// Data representations. They last until MPI_Finalize, and so does what belongs to them.

struct Representation {
  int (*extent)(int datatype, MPI_Aint* extent, void* state);
  void* state;
};
int extent_in_file(MPI_Datatype datatype, MPI_Aint* extent, void* kept) {
  const auto& representation = *static_cast<Representation*>(kept);
  return in_error(representation.extent(out_handle(datatype), extent, representation.state));
}
// Functions that convert are refused by our call; any stands for those of the program there.
int conversion(void*, MPI_Datatype, int, void*, MPI_Offset, void*) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}
int large_conversion(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*) {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace
}  // namespace taihu::mpi::mpich

using namespace taihu::mpi;
using namespace taihu::mpi::mpich;

// What MPI_DUP_FN stands for; programs may also call it themselves.
extern "C" int taihu_mpich_Dup_fn(int, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = in;
  *flag = 1;
  return MPI_SUCCESS;
}

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

#define ERROR_HANDLER(name, use)                                                    \
  TAIHU_MPICH_CALL(int, name, (void (*function)(), int* handler)) {                 \
    return create_handler("MPI_" #name, ErrorHandler::Use::use, function, handler); \
  }
ERROR_HANDLER(Comm_create_errhandler, communicator)
ERROR_HANDLER(Errhandler_create, communicator)
ERROR_HANDLER(Win_create_errhandler, window)
ERROR_HANDLER(File_create_errhandler, file)

#define KEYVAL(name, carrier)                                                                        \
  TAIHU_MPICH_CALL(int, name,                                                                        \
                   (CopyFunction * copy, DeleteFunction * remove, int* keyval, void* extra_state)) { \
    return create_keyval("MPI_" #name, Carrier::carrier, copy, remove, keyval, extra_state);         \
  }
KEYVAL(Comm_create_keyval, communicator)
KEYVAL(Keyval_create, communicator)
KEYVAL(Type_create_keyval, datatype)
KEYVAL(Win_create_keyval, window)

TAIHU_MPICH_CALL(int, Grequest_start,
                 (int (*query_fn)(void*, Status*), int (*free_fn)(void*), int (*cancel_fn)(void*, int),
                  void* extra_state, int* request)) {
  auto kept = std::make_unique<Generalized>(query_fn, free_fn, cancel_fn, extra_state);
  MPI_Request made = MPI_REQUEST_NULL;
  // What is kept goes with the state, so ours is called even where theirs is null.
  const int code = PMPI_Grequest_start(query_fn != nullptr ? &query : nullptr, &free_state,
                                       cancel_fn != nullptr ? &cancel : nullptr, kept.get(),
                                       request != nullptr ? &made : nullptr);
  if (code == MPI_SUCCESS) latest = kept.release();
  if (request != nullptr) *request = out_handle(made);
  return out_error(code);
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

TAIHU_MPICH_CALL(int, Register_datarep,
                 (const char* datarep, void (*read)(), void (*write)(), int (*extent)(int, MPI_Aint*, void*),
                  void* extra_state)) {
  auto kept = std::make_unique<Representation>(extent, extra_state);
  const int code = PMPI_Register_datarep(datarep, read == nullptr ? MPI_CONVERSION_FN_NULL : &conversion,
                                         write == nullptr ? MPI_CONVERSION_FN_NULL : &conversion,
                                         extent != nullptr ? &extent_in_file : nullptr, kept.get());
  if (code == MPI_SUCCESS) static_cast<void>(kept.release());
  return out_error(code);
}
