// SPDX-License-Identifier: Apache-2.0
// Procedures in place of those of Open MPI's Fortran library that read or write the inside of its objects
// (names.cc). Handles are Open MPI's integers, numbers theirs; the error code is the last argument. What the
// others call beyond MPI is in fortran_internals.cc.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "taihu/memory/libc/rank_process.h"
#include "taihu/mpi/bindings/fortran/entry.h"
#include "taihu/mpi/bindings/open_mpi_abi/callbacks.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/handles/handle_table.h"
#include "taihu/mpi/objects/operations/operation.h"

extern "C" int taihu_open_mpi_start_fortran_request(int (*query_fn)(void*, taihu::mpi::open_mpi::Status*),
                                                    int (*free_fn)(void*), int (*cancel_fn)(void*, int),
                                                    void* extra_state, void** request);

namespace taihu::mpi::open_mpi {
namespace {

template <class Ours>
Ours ours_of(const int* integer) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? from_fortran<Ours>(*rank, *integer) : invalid_handle<Ours>();
}
int theirs_of(const void* ours) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? to_fortran(*rank, ours) : 0;
}
void give(int* error, int code) noexcept {
  if (error != nullptr) *error = out_error(code);
}

/// The places in a rank's program that stand for no status, or some that no program has.
class PlacesOfNoStatus final : public RankPart {
 public:
  explicit PlacesOfNoStatus(Rank& rank)
      : one_(place(rank, "mpi_fortran_status_ignore_")), all_(place(rank, "mpi_fortran_statuses_ignore_")) {}
  static PlacesOfNoStatus& here() {
    return this_rank("MPI_Wait").part<PlacesOfNoStatus>(Part::foreign_places);
  }
  bool has(const void* status) const noexcept { return status == one_ || status == all_; }

 private:
  static const void* place(Rank& rank, const char* name) {
    memory::RankProcess* const process = rank.identity().process;
    return process != nullptr ? process->image.find_symbol(RTLD_DEFAULT, name, nullptr, nullptr) : nullptr;
  }
  const void* const one_;
  const void* const all_;
};
/// Arguments of statuses for C.
Status* status_of(int* status) {
  return PlacesOfNoStatus::here().has(status) ? ignored_status : reinterpret_cast<Status*>(status);
}
Status* statuses_of(int* statuses) {
  return status_of(statuses);
}

/// Requests that a call completes.
class FortranRequests {
 public:
  FortranRequests(int count, int* theirs)
      : count_(count),
        theirs_(theirs),
        ours_(count, theirs, [](int one) { return ours_of<MPI_Request>(&one); }) {}
  ~FortranRequests() {
    // What means nothing stays as it is.
    for (int i = 0; i < count_; ++i)
      if (ours_[i] != invalid_handle<MPI_Request>()) theirs_[i] = theirs_of(ours_[i]);
  }
  FortranRequests(const FortranRequests&) = delete;
  FortranRequests& operator=(const FortranRequests&) = delete;
  MPI_Request* get() noexcept { return ours_.get(); }

 private:
  int count_;
  int* theirs_;
  ArrayValue<MPI_Request, int> ours_;
};

// Keys: procedures with values of type INTEGER (of MPI-1) or of an address.

template <class Value>
using CopyProcedure = void(const int* object, const int* keyval, const Value* extra_state, const Value* in,
                           Value* out, int* flag, int* error);
template <class Value>
using DeleteProcedure = void(const int* object, const int* keyval, const Value* value,
                             const Value* extra_state, int* error);

/// Theirs of an object's integer of ours.
int object_of(int integer) noexcept {
  if (integer >= static_cast<int>(predefined_handles)) return integer;
  return theirs_of(reinterpret_cast<void*>(static_cast<std::intptr_t>(integer)));
}

template <class Value>
int call_copy(const Keyval& key, int handle, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag) {
  const int object = object_of(handle);
  const auto state = static_cast<Value>(reinterpret_cast<std::intptr_t>(key.extra_state));
  const auto value = static_cast<Value>(in);
  Value result = 0;
  int copied = 0, error = MPI_SUCCESS;
  reinterpret_cast<CopyProcedure<Value>*>(key.copy)(&object, &keyval, &state, &value, &result, &copied,
                                                    &error);
  *out = static_cast<std::intptr_t>(result);
  *flag = copied != 0;
  return in_error(error);
}
template <class Value>
int call_remove(const Keyval& key, int handle, int keyval, std::intptr_t attribute) {
  const int object = object_of(handle);
  const auto state = static_cast<Value>(reinterpret_cast<std::intptr_t>(key.extra_state));
  const auto value = static_cast<Value>(attribute);
  int error = MPI_SUCCESS;
  reinterpret_cast<DeleteProcedure<Value>*>(key.remove)(&object, &keyval, &value, &state, &error);
  return in_error(error);
}
int copy(const Keyval& key, int handle, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag) {
  const auto call = key.language == Language::fortran_integer ? call_copy<int> : call_copy<MPI_Aint>;
  return call(key, handle, keyval, in, out, flag);
}
int remove(const Keyval& key, int handle, int keyval, std::intptr_t value) {
  const auto call = key.language == Language::fortran_integer ? call_remove<int> : call_remove<MPI_Aint>;
  return call(key, handle, keyval, value);
}
const FortranAttributeCalls calls{&copy, &remove};

void create_key(Carrier carrier, Language language, void (*copy)(), void (*remove)(), MPI_Aint extra_state,
                int* keyval, int* error) {
  give(error, on_rank("MPI_CREATE_KEYVAL", [&](Rank& rank) {
         set_fortran_attribute_calls(&calls);
         *keyval = Attributes::of(rank).create_keyval({.carrier = carrier,
                                                       .language = language,
                                                       .copy = copy,
                                                       .remove = remove,
                                                       .extra_state = reinterpret_cast<void*>(extra_state)});
       }));
}

int integer_of(const void* ours) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? to_integer(*rank, ours) : 0;
}
void set(taihu_carrier carrier, const void* object, int keyval, MPI_Aint value, bool old_style, int* error) {
  give(error,
       taihu_fortran_set_attribute(carrier, integer_of(object), in_keyval(keyval), value, old_style ? 1 : 0));
}
void get(taihu_carrier carrier, const void* object, int keyval, MPI_Aint* value, int* flag, int* error) {
  const int key = in_keyval(keyval);
  MPI_Aint found = 0;
  const int code = taihu_fortran_get_attribute(carrier, integer_of(object), key, &found, flag);
  give(error, code);
  if (code != MPI_SUCCESS || *flag == 0) return;
  if (key == MPI_HOST || key == MPI_IO) found = out_rank(static_cast<int>(found));
  if (key == MPI_LASTUSEDCODE) found = out_last_used(static_cast<int>(found));
  if (key == MPI_WIN_CREATE_FLAVOR) found = out_flavor(static_cast<int>(found));
  if (key == MPI_WIN_MODEL) found = out_model(static_cast<int>(found));
  *value = found;
}

// Error handlers: subroutine f(object, code).

void call_handler(void (*function)(), ErrorHandler::Use, void* handle, int* code) {
  int object = theirs_of(handle), theirs = out_error(*code);
  reinterpret_cast<void (*)(int*, int*, ...)>(function)(&object, &theirs);
  *code = in_error(theirs);
}
void create_handler(ErrorHandler::Use use, void (*procedure)(), int* handler, int* error) {
  give(error, on_rank("MPI_CREATE_ERRHANDLER", [&](Rank& rank) {
         const MPI_Errhandler made = mpi::create_handler(use, procedure);
         checked<ErrorHandler>(rank, made, MPI_ERR_ERRHANDLER, "").caller = &call_handler;
         *handler = theirs_of(made);
       }));
}

}  // namespace
}  // namespace taihu::mpi::open_mpi

using namespace taihu::mpi;
using namespace taihu::mpi::open_mpi;

#define PROCEDURE(name, parameters) TAIHU_OPEN_MPI_CALL(void, fortran_##name, parameters)

#define KEYVAL_PROCEDURES(kind, carrier)                                                                \
  PROCEDURE(kind##_create_keyval,                                                                       \
            (void (*copy)(), void (*remove)(), int* keyval, const MPI_Aint* extra_state, int* error)) { \
    create_key(Carrier::carrier, Language::fortran, copy, remove, *extra_state, keyval, error);         \
  }
KEYVAL_PROCEDURES(comm, communicator)
KEYVAL_PROCEDURES(type, datatype)
KEYVAL_PROCEDURES(win, window)
PROCEDURE(keyval_create,
          (void (*copy)(), void (*remove)(), int* keyval, const int* extra_state, int* error)) {
  create_key(Carrier::communicator, Language::fortran_integer, copy, remove, *extra_state, keyval, error);
}

#define ATTRIBUTE_PROCEDURES(kind, Ours, carrier)                                                         \
  PROCEDURE(kind##_set_attr, (const int* object, const int* keyval, const MPI_Aint* value, int* error)) { \
    set(carrier, ours_of<Ours>(object), *keyval, *value, false, error);                                   \
  }                                                                                                       \
  PROCEDURE(kind##_get_attr,                                                                              \
            (const int* object, const int* keyval, MPI_Aint* value, int* flag, int* error)) {             \
    get(carrier, ours_of<Ours>(object), *keyval, value, flag, error);                                     \
  }
ATTRIBUTE_PROCEDURES(comm, MPI_Comm, taihu_on_communicator)
ATTRIBUTE_PROCEDURES(type, MPI_Datatype, taihu_on_datatype)
ATTRIBUTE_PROCEDURES(win, MPI_Win, taihu_on_window)
PROCEDURE(attr_put, (const int* object, const int* keyval, const int* value, int* error)) {
  set(taihu_on_communicator, ours_of<MPI_Comm>(object), *keyval, *value, true, error);
}
PROCEDURE(attr_get, (const int* object, const int* keyval, int* value, int* flag, int* error)) {
  MPI_Aint found = 0;
  get(taihu_on_communicator, ours_of<MPI_Comm>(object), *keyval, &found, flag, error);
  if (*flag != 0) *value = static_cast<int>(found);
}

#define HANDLER_PROCEDURE(name, use)                                   \
  PROCEDURE(name, (void (*procedure)(), int* handler, int* error)) {   \
    create_handler(ErrorHandler::Use::use, procedure, handler, error); \
  }
HANDLER_PROCEDURE(comm_create_errhandler, communicator)
HANDLER_PROCEDURE(errhandler_create, communicator)
HANDLER_PROCEDURE(file_create_errhandler, file)
HANDLER_PROCEDURE(win_create_errhandler, window)

PROCEDURE(op_create, (void (*procedure)(), const int* commute, int* op, int* error)) {
  give(error, on_rank("MPI_OP_CREATE", [&](Rank&) {
         *op = theirs_of(
             handle_of<MPI_Op>(new Operation(reinterpret_cast<MPI_User_function*>(procedure), *commute != 0,
                                             [](MPI_Datatype type) { return theirs_of(type); })));
       }));
}

PROCEDURE(grequest_start, (int (*query)(void*, Status*), int (*free_state)(void*), int (*cancel)(void*, int),
                           void* extra_state, int* request, int* error)) {
  Handle made = nullptr;
  const int code = taihu_open_mpi_start_fortran_request(query, free_state, cancel, extra_state, &made);
  if (error != nullptr) *error = code;
  if (code == MPI_SUCCESS) *request = theirs_of(in_request(made));
}

#define GROUP_PROCEDURE(name, call, parameters, arguments) \
  PROCEDURE(name, parameters) {                            \
    MPI_Group made = MPI_GROUP_NULL;                       \
    const int code = call arguments;                       \
    give(error, code);                                     \
    if (code == MPI_SUCCESS) *result = theirs_of(made);    \
  }
#define OF_TWO_GROUPS(name, call)                                                             \
  GROUP_PROCEDURE(name, call, (const int* first, const int* second, int* result, int* error), \
                  (ours_of<MPI_Group>(first), ours_of<MPI_Group>(second), &made))
OF_TWO_GROUPS(group_difference, PMPI_Group_difference)
OF_TWO_GROUPS(group_intersection, PMPI_Group_intersection)
OF_TWO_GROUPS(group_union, PMPI_Group_union)
#define OF_MEMBERS(name, call)                                                                             \
  GROUP_PROCEDURE(name, call, (const int* group, const int* n, const int* ranks, int* result, int* error), \
                  (ours_of<MPI_Group>(group), *n, ranks, &made))
OF_MEMBERS(group_excl, PMPI_Group_excl)
OF_MEMBERS(group_incl, PMPI_Group_incl)
#define OF_RANGES(name, call)                                                                             \
  GROUP_PROCEDURE(name, call, (const int* group, const int* n, int(*ranges)[3], int* result, int* error), \
                  (ours_of<MPI_Group>(group), *n, ranges, &made))
OF_RANGES(group_range_excl, PMPI_Group_range_excl)
OF_RANGES(group_range_incl, PMPI_Group_range_incl)

PROCEDURE(wait, (int* request, int* status, int* error)) {
  MPI_Request ours = ours_of<MPI_Request>(request);
  int code = MPI_SUCCESS;
  {
    StatusResult result(status_of(status));
    code = PMPI_Wait(&ours, result.get());
  }
  give(error, code);
  if (code == MPI_SUCCESS) *request = theirs_of(ours);
}
PROCEDURE(test, (int* request, int* flag, int* status, int* error)) {
  MPI_Request ours = ours_of<MPI_Request>(request);
  int code = MPI_SUCCESS;
  {
    StatusResult result(status_of(status));
    code = PMPI_Test(&ours, flag, result.get());
  }
  give(error, code);
  if (code == MPI_SUCCESS && *flag != 0) *request = theirs_of(ours);
}

PROCEDURE(request_free, (int* request, int* error)) {
  MPI_Request ours = ours_of<MPI_Request>(request);
  const int code = PMPI_Request_free(&ours);
  give(error, code);
  if (code == MPI_SUCCESS) *request = theirs_of(ours);
}

PROCEDURE(waitall, (const int* count, int* requests, int* statuses, int* error)) {
  FortranRequests ours(*count, requests);
  StatusResults results(*count, statuses_of(statuses));
  give(error, PMPI_Waitall(*count, ours.get(), results.get()));
}
PROCEDURE(testall, (const int* count, int* requests, int* flag, int* statuses, int* error)) {
  FortranRequests ours(*count, requests);
  StatusResults results(*count, statuses_of(statuses));
  give(error, PMPI_Testall(*count, ours.get(), flag, results.get()));
}
PROCEDURE(waitany, (const int* count, int* requests, int* index, int* status, int* error)) {
  FortranRequests ours(*count, requests);
  StatusResult result(status_of(status));
  give(error, PMPI_Waitany(*count, ours.get(), index, result.get()));
  if (*index >= 0) ++*index;
}
PROCEDURE(testany, (const int* count, int* requests, int* index, int* flag, int* status, int* error)) {
  FortranRequests ours(*count, requests);
  StatusResult result(status_of(status));
  give(error, PMPI_Testany(*count, ours.get(), index, flag, result.get()));
  if (*flag != 0 && *index >= 0) ++*index;
}
#define SOME(name, call)                                                                                   \
  PROCEDURE(name, (const int* count, int* requests, int* done, int* indices, int* statuses, int* error)) { \
    FortranRequests ours(*count, requests);                                                                \
    StatusResults results(*count, statuses_of(statuses));                                                  \
    give(error, call(*count, ours.get(), done, indices, results.get()));                                   \
    for (int i = 0; i < *done; ++i) ++indices[i];                                                          \
  }
SOME(waitsome, PMPI_Waitsome)
SOME(testsome, PMPI_Testsome)

PROCEDURE(type_match_size, (const int* type_class, const int* size, int* type, int* error)) {
  MPI_Datatype found = MPI_DATATYPE_NULL;
  const int code = PMPI_Type_match_size(in_type_class(*type_class), *size, &found);
  give(error, code);
  if (code == MPI_SUCCESS) *type = theirs_of(found);
}

// Conversions between data representations are refused, in C as well.
PROCEDURE(register_datarep, (const char*, void*, void*, void*, void*, int* error, int)) {
  give(error, on_rank("MPI_REGISTER_DATAREP", [](Rank&) {
         throw CallError(MPI_ERR_UNSUPPORTED_OPERATION, "procedures in Fortran are not available");
       }));
}
