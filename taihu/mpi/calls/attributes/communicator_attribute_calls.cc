// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_..._attr, MPI_Comm_..._keyval, and their names of MPI-1.
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"

namespace taihu::mpi {
namespace {

constexpr Carrier carrier = Carrier::communicator;

// The bodies are inlined, so that the guards see the place in the program that made the call.
#define TAIHU_BODY inline __attribute__((always_inline)) int

TAIHU_BODY create_keyval(const char* call, MPI_Comm_copy_attr_function* copy,
                         MPI_Comm_delete_attr_function* remove, int* keyval, void* extra_state) {
  return on_rank(call, [&](Rank& rank) {
    require_pointer(keyval, "comm_keyval");
    *keyval = Attributes::of(rank).create_keyval({carrier, Language::c, reinterpret_cast<void (*)()>(copy),
                                                  reinterpret_cast<void (*)()>(remove), extra_state});
  });
}

TAIHU_BODY free_keyval(const char* call, int* keyval) {
  return on_rank(call, [&](Rank& rank) {
    require_pointer(keyval, "comm_keyval");
    Attributes::of(rank).free_keyval(carrier, *keyval);
    *keyval = MPI_KEYVAL_INVALID;
  });
}

TAIHU_BODY set(const char* call, MPI_Comm comm, int keyval, void* value) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    Attributes::of(rank).set(communicator, carrier, keyval, value);
  });
}

TAIHU_BODY get(const char* call, MPI_Comm comm, int keyval, void* value, int* flag) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    require_pointer(value, "attribute_val");
    require_pointer(flag, "flag");
    if (const int* const predefined = predefined_attribute(rank, keyval)) {
      *static_cast<const void**>(value) = predefined;
      *flag = 1;
    } else {
      *flag = get_for_c(rank, communicator, carrier, keyval, value) ? 1 : 0;
    }
  });
}

TAIHU_BODY remove(const char* call, MPI_Comm comm, int keyval) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    Attributes::of(rank).remove(communicator, carrier, keyval);
  });
}

#undef TAIHU_BODY

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_create_keyval,
         (MPI_Comm_copy_attr_function * comm_copy_attr_fn, MPI_Comm_delete_attr_function* comm_delete_attr_fn,
          int* comm_keyval, void* extra_state)) {
  return create_keyval("MPI_Comm_create_keyval", comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
                       extra_state);
}

MPI_CALL(int, Comm_free_keyval, (int* comm_keyval)) {
  return free_keyval("MPI_Comm_free_keyval", comm_keyval);
}

MPI_CALL(int, Comm_set_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val)) {
  return set("MPI_Comm_set_attr", comm, comm_keyval, attribute_val);
}

MPI_CALL(int, Comm_get_attr, (MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag)) {
  return get("MPI_Comm_get_attr", comm, comm_keyval, attribute_val, flag);
}

MPI_CALL(int, Comm_delete_attr, (MPI_Comm comm, int comm_keyval)) {
  return remove("MPI_Comm_delete_attr", comm, comm_keyval);
}

MPI_CALL(int, Keyval_create,
         (MPI_Copy_function * copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state)) {
  return create_keyval("MPI_Keyval_create", copy_fn, delete_fn, keyval, extra_state);
}

MPI_CALL(int, Keyval_free, (int* keyval)) {
  return free_keyval("MPI_Keyval_free", keyval);
}

MPI_CALL(int, Attr_put, (MPI_Comm comm, int keyval, void* attribute_val)) {
  return set("MPI_Attr_put", comm, keyval, attribute_val);
}

MPI_CALL(int, Attr_get, (MPI_Comm comm, int keyval, void* attribute_val, int* flag)) {
  return get("MPI_Attr_get", comm, keyval, attribute_val, flag);
}

MPI_CALL(int, Attr_delete, (MPI_Comm comm, int keyval)) {
  return remove("MPI_Attr_delete", comm, keyval);
}
