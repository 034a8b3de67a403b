// SPDX-License-Identifier: Apache-2.0
// What MPICH's library for Fortran (libmpichfort.so.12, of MPICH 4) calls in the one for C beyond the calls
// of MPI: attributes by value, and functions of the program that are written in Fortran. Other Fortran
// libraries of this ABI have other names for them; the first such call then says that it is not available.
#include <mutex>

#include "taihu/mpi/bindings/fortran/entry.h"
#include "taihu/mpi/bindings/mpich_abi/callbacks.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"

namespace taihu::mpi::mpich {
namespace {

/// In what form a value was set and is wanted.
enum AttributeType : int { address = 0, wide_integer = 1, integer = 3 };

/// The calls that the Fortran library gives for the functions of a key, which it hands back to them.
using CopyProxy = int(void (*function)(), int object, int keyval, void* extra_state, AttributeType type,
                      void* in, void** out, int* flag);
using DeleteProxy = int(void (*function)(), int object, int keyval, AttributeType type, void* value,
                        void* extra_state);

/// Lives until the job ends, as keys may.
struct ProxiedFunction {
  void (*function)();
  void (*proxy)();
};

AttributeType type_of(const Keyval& key) {
  return key.language == Language::fortran_integer ? integer : wide_integer;
}

/// Theirs of a handle that is an integer of ours.
int object_of(int handle) {
  return handle < static_cast<int>(predefined_handles) ? numbers[handle] : handle;
}

int copy(const Keyval& key, int handle, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag) {
  const auto& call = *reinterpret_cast<const ProxiedFunction*>(key.copy);
  void* result = nullptr;
  int copied = 0;
  const int code =
      reinterpret_cast<CopyProxy*>(call.proxy)(call.function, object_of(handle), keyval, key.extra_state,
                                               type_of(key), reinterpret_cast<void*>(in), &result, &copied);
  *out = reinterpret_cast<std::intptr_t>(result);
  *flag = copied != 0;
  return in_error(code);
}
int remove(const Keyval& key, int handle, int keyval, std::intptr_t value) {
  const auto& call = *reinterpret_cast<const ProxiedFunction*>(key.remove);
  return in_error(reinterpret_cast<DeleteProxy*>(call.proxy)(call.function, object_of(handle), keyval,
                                                             type_of(key), reinterpret_cast<void*>(value),
                                                             key.extra_state));
}
const FortranAttributeCalls calls{&copy, &remove};

void (*proxied(void (*function)(), void (*proxy)()))() {
  if (function == nullptr || proxy == nullptr) return nullptr;
  return reinterpret_cast<void (*)()>(new ProxiedFunction{function, proxy});
}

int set(taihu_carrier carrier, int object, int keyval, void* value, AttributeType type) {
  return out_error(taihu_fortran_set_attribute(carrier, object, in_keyval(keyval),
                                               reinterpret_cast<MPI_Aint>(value), type == integer));
}

int get(taihu_carrier carrier, int object, int keyval, void* value, int* flag) {
  // The keys of MPI's own attributes are odd for C; for Fortran they are one more.
  const int in_c = in_keyval(keyval - 1);
  const int key = in_c != keyval - 1 && in_c != INT_MIN ? in_c : in_keyval(keyval);
  MPI_Aint found = 0;
  const int code = taihu_fortran_get_attribute(carrier, object, key, &found, flag);
  if (code != MPI_SUCCESS || *flag == 0) return out_error(code);
  if (key == MPI_HOST || key == MPI_IO) found = out_rank(static_cast<int>(found));
  if (key == MPI_LASTUSEDCODE) found = out_last_used(static_cast<int>(found));
  if (key == MPI_WIN_CREATE_FLAVOR) found = out_flavor(static_cast<int>(found));
  if (key == MPI_WIN_MODEL) found = out_model(static_cast<int>(found));
  *static_cast<MPI_Aint*>(value) = found;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace taihu::mpi::mpich

using namespace taihu::mpi;
using namespace taihu::mpi::mpich;

#define ATTRIBUTES(kind, carrier, turn)                                               \
  TAIHU_MPICH_CALL(int, internal_##kind##_set_attr,                                   \
                   (int object, int keyval, void* value, AttributeType type)) {       \
    return set(carrier, turn, keyval, value, type);                                   \
  }                                                                                   \
  TAIHU_MPICH_CALL(int, internal_##kind##_get_attr,                                   \
                   (int object, int keyval, void* value, int* flag, AttributeType)) { \
    return get(carrier, turn, keyval, value, flag);                                   \
  }
ATTRIBUTES(Comm, taihu_on_communicator, PMPI_Comm_c2f(in_communicator(object)))
ATTRIBUTES(Type, taihu_on_datatype, PMPI_Type_c2f(in_datatype(object)))
ATTRIBUTES(Win, taihu_on_window, PMPI_Win_c2f(in_window(object)))

TAIHU_MPICH_CALL(void, internal_Keyval_set_proxy,
                 (int keyval, CopyProxy* copy_proxy, DeleteProxy* delete_proxy)) {
  on_rank("MPI_CREATE_KEYVAL", [&](Rank& rank) {
    set_fortran_attribute_calls(&calls);
    Attributes::of(rank).change_keyval(keyval, [&](Keyval& key) {
      key.language = Language::fortran;
      key.copy = proxied(key.copy, reinterpret_cast<void (*)()>(copy_proxy));
      key.remove = proxied(key.remove, reinterpret_cast<void (*)()>(delete_proxy));
    });
  });
}

// Statuses that stand for none, as the Fortran library knows them; it writes their addresses when it starts.
// All ranks of a node process share these places, and nothing here reads them.
#define TAIHU_POINTER __attribute__((visibility("default"))) void*
extern "C" {
TAIHU_POINTER taihu_mpich_F_STATUS_IGNORE = nullptr;
TAIHU_POINTER taihu_mpich_F_STATUSES_IGNORE = nullptr;
TAIHU_POINTER taihu_mpich_F08_STATUS_IGNORE = nullptr;
TAIHU_POINTER taihu_mpich_F08_STATUSES_IGNORE = nullptr;
}
