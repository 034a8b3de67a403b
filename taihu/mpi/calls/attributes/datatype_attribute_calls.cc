// SPDX-License-Identifier: Apache-2.0
// MPI_Type_..._attr and MPI_Type_..._keyval.
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi {
namespace {

Datatype& type_of(Rank& rank, MPI_Datatype handle) {
  return checked<Datatype>(rank, handle, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL or not valid");
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Type_create_keyval,
         (MPI_Type_copy_attr_function * type_copy_attr_fn, MPI_Type_delete_attr_function* type_delete_attr_fn,
          int* type_keyval, void* extra_state)) {
  return on_rank("MPI_Type_create_keyval", [&](Rank& rank) {
    require_pointer(type_keyval, "type_keyval");
    *type_keyval = Attributes::of(rank).create_keyval(
        {Carrier::datatype, Language::c, reinterpret_cast<void (*)()>(type_copy_attr_fn),
         reinterpret_cast<void (*)()>(type_delete_attr_fn), extra_state});
  });
}

MPI_CALL(int, Type_free_keyval, (int* type_keyval)) {
  return on_rank("MPI_Type_free_keyval", [&](Rank& rank) {
    require_pointer(type_keyval, "type_keyval");
    Attributes::of(rank).free_keyval(Carrier::datatype, *type_keyval);
    *type_keyval = MPI_KEYVAL_INVALID;
  });
}

MPI_CALL(int, Type_set_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val)) {
  return on_rank("MPI_Type_set_attr", [&](Rank& rank) {
    Attributes::of(rank).set(type_of(rank, datatype), Carrier::datatype, type_keyval, attribute_val);
  });
}

MPI_CALL(int, Type_get_attr, (MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag)) {
  return on_rank("MPI_Type_get_attr", [&](Rank& rank) {
    require_pointer(attribute_val, "attribute_val");
    require_pointer(flag, "flag");
    Datatype& type = type_of(rank, datatype);
    *flag = get_for_c(rank, type, Carrier::datatype, type_keyval, attribute_val) ? 1 : 0;
  });
}

MPI_CALL(int, Type_delete_attr, (MPI_Datatype datatype, int type_keyval)) {
  return on_rank("MPI_Type_delete_attr", [&](Rank& rank) {
    Attributes::of(rank).remove(type_of(rank, datatype), Carrier::datatype, type_keyval);
  });
}
