// SPDX-License-Identifier: Apache-2.0
// The inside of entry.h: objects with procedures written in Fortran, and attributes by value.
#include "taihu/mpi/bindings/fortran/entry.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/handles/handle_table.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/types/datatype.h"

#define TAIHU_EXPORT extern "C" __attribute__((visibility("default")))

namespace taihu::mpi {
namespace {

/// Procedures of keys; `Value` is the Fortran type of attribute values.
template <class Value>
using CopyProcedure = void (*)(const MPI_Fint* object, const MPI_Fint* keyval, const Value* extra_state,
                               const Value* in, Value* out, MPI_Fint* flag, MPI_Fint* ierror);
template <class Value>
using DeleteProcedure = void (*)(const MPI_Fint* object, const MPI_Fint* keyval, const Value* value,
                                 const Value* extra_state, MPI_Fint* ierror);

template <class Value>
int call_copy(const Keyval& key, int object, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag) {
  const auto extra_state = static_cast<Value>(reinterpret_cast<std::intptr_t>(key.extra_state));
  const auto value = static_cast<Value>(in);
  Value result = 0;
  MPI_Fint copied = 0, code = MPI_SUCCESS;
  reinterpret_cast<CopyProcedure<Value>>(key.copy)(&object, &keyval, &extra_state, &value, &result, &copied,
                                                   &code);
  *out = result;
  *flag = copied != 0;
  return code;
}

template <class Value>
int call_delete(const Keyval& key, int object, int keyval, std::intptr_t attribute) {
  const auto extra_state = static_cast<Value>(reinterpret_cast<std::intptr_t>(key.extra_state));
  const auto value = static_cast<Value>(attribute);
  MPI_Fint code = MPI_SUCCESS;
  reinterpret_cast<DeleteProcedure<Value>>(key.remove)(&object, &keyval, &value, &extra_state, &code);
  return code;
}

const FortranAttributeCalls attribute_calls{
    .copy =
        [](const Keyval& key, int object, int keyval, std::intptr_t in, std::intptr_t* out, bool* flag) {
          const auto call =
              key.language == Language::fortran_integer ? call_copy<MPI_Fint> : call_copy<MPI_Aint>;
          return call(key, object, keyval, in, out, flag);
        },
    .remove =
        [](const Keyval& key, int object, int keyval, std::intptr_t value) {
          const auto call =
              key.language == Language::fortran_integer ? call_delete<MPI_Fint> : call_delete<MPI_Aint>;
          return call(key, object, keyval, value);
        },
};

Carrier carrier_of(taihu_carrier carrier) {
  switch (carrier) {
    case taihu_on_communicator:
      return Carrier::communicator;
    case taihu_on_datatype:
      return Carrier::datatype;
    case taihu_on_window:
      return Carrier::window;
    case taihu_on_file:
    case taihu_on_session:
      break;
  }
  throw CallError(MPI_ERR_ARG, "files and sessions have no attributes");
}

/// The object of a Fortran handle.
Object& object_of_integer(Rank& rank, taihu_carrier carrier, MPI_Fint integer) {
  const bool fixed = integer >= 0 && static_cast<std::uintptr_t>(integer) < predefined_handles;
  Object* const object =
      fixed ? rank.predefined[static_cast<std::size_t>(integer)] : HandleTable::of(rank).object_at(integer);
  const Kind kind = carrier == taihu_on_communicator ? Kind::communicator
                    : carrier == taihu_on_datatype   ? Kind::datatype
                                                     : Kind::window;
  require(object != nullptr && object->kind == kind,
          carrier == taihu_on_communicator ? MPI_ERR_COMM
          : carrier == taihu_on_datatype   ? MPI_ERR_TYPE
                                           : MPI_ERR_WIN,
          "the handle is null or not valid");
  return *object;
}

/// As a Fortran program gets it: MPI's own attributes and those set in Fortran by value, others as the
/// address that a C program has set.
bool get_for_fortran(Rank& rank, Object& object, Carrier carrier, int keyval, MPI_Aint* value) {
  if (carrier == Carrier::communicator) {
    if (const int* const own = predefined_attribute(rank, keyval)) {
      *value = *own;
      return true;
    }
  }
  if (carrier == Carrier::window && keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL) {
    void* found = nullptr;
    int flag = 0;
    PMPI_Win_get_attr(handle_of<MPI_Win>(&object), keyval, &found, &flag);
    if (flag == 0) return false;
    if (keyval == MPI_WIN_BASE) {
      *value = reinterpret_cast<MPI_Aint>(found);
    } else {
      *value = keyval == MPI_WIN_SIZE ? *static_cast<MPI_Aint*>(found) : *static_cast<int*>(found);
    }
    return true;
  }
  const std::optional<AttributeValue> found = Attributes::of(rank).get(object, carrier, keyval);
  if (found) *value = reinterpret_cast<MPI_Aint>(found->value);
  return found.has_value();
}

}  // namespace

TAIHU_EXPORT int taihu_fortran_create_keyval(taihu_carrier carrier, void (*copy)(), void (*remove)(),
                                             MPI_Aint extra_state, int old_style, int* keyval) {
  return on_rank("MPI_CREATE_KEYVAL", [&](Rank& rank) {
    set_fortran_attribute_calls(&attribute_calls);
    Keyval key{.carrier = carrier_of(carrier),
               .language = old_style != 0 ? Language::fortran_integer : Language::fortran,
               .copy = copy,
               .remove = remove,
               .extra_state = reinterpret_cast<void*>(extra_state)};
    *keyval = Attributes::of(rank).create_keyval(key);
  });
}

TAIHU_EXPORT int taihu_fortran_set_attribute(taihu_carrier carrier, MPI_Fint object, int keyval,
                                             MPI_Aint value, int old_style) {
  return on_rank("MPI_SET_ATTR", [&](Rank& rank) {
    Attributes::of(rank).set(object_of_integer(rank, carrier, object), carrier_of(carrier), keyval,
                             reinterpret_cast<void*>(value),
                             old_style != 0 ? Language::fortran_integer : Language::fortran);
  });
}

TAIHU_EXPORT int taihu_fortran_get_attribute(taihu_carrier carrier, MPI_Fint object, int keyval,
                                             MPI_Aint* value, int* flag) {
  return on_rank("MPI_GET_ATTR", [&](Rank& rank) {
    Object& on = object_of_integer(rank, carrier, object);
    *flag = get_for_fortran(rank, on, carrier_of(carrier), keyval, value) ? 1 : 0;
  });
}

TAIHU_EXPORT int taihu_fortran_create_operation(void (*procedure)(), int commute, MPI_Op* op) {
  return on_rank("MPI_OP_CREATE", [&](Rank&) {
    *op = handle_of<MPI_Op>(new Operation(reinterpret_cast<MPI_User_function*>(procedure), commute != 0,
                                          [](MPI_Datatype type) { return PMPI_Type_c2f(type); }));
  });
}

TAIHU_EXPORT int taihu_fortran_create_large_operation(void (*procedure)(), int commute, MPI_Op* op) {
  return on_rank("MPI_OP_CREATE_C", [&](Rank&) {
    *op = handle_of<MPI_Op>(new Operation(reinterpret_cast<MPI_User_function_c*>(procedure), commute != 0,
                                          [](MPI_Datatype type) { return PMPI_Type_c2f(type); }));
  });
}

TAIHU_EXPORT int taihu_fortran_create_error_handler(taihu_carrier carrier, void (*procedure)(),
                                                    MPI_Errhandler* handler) {
  return at_any_time("MPI_CREATE_ERRHANDLER", [&](Rank& rank) {
    const ErrorHandler::Use use = carrier == taihu_on_communicator ? ErrorHandler::Use::communicator
                                  : carrier == taihu_on_window     ? ErrorHandler::Use::window
                                  : carrier == taihu_on_session    ? ErrorHandler::Use::session
                                                                   : ErrorHandler::Use::file;
    *handler = create_handler(use, procedure);
    checked<ErrorHandler>(rank, *handler, MPI_ERR_ERRHANDLER, "").is_fortran = true;
  });
}

}  // namespace taihu::mpi
