// SPDX-License-Identifier: Apache-2.0
// The calls that make datatypes, their older names included.
#include "taihu/mpi/calls/types/call_arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/types/constructors.h"

namespace taihu::mpi {
namespace {

// Inlined into the call, as the guards need it (they note who has called).

template <class Count>
constexpr Width width_of = sizeof(Count) == sizeof(int) ? Width::ints : Width::large;

/// Makes a type by make(Rank&, Datatype& old).
template <class Make>
inline __attribute__((always_inline)) int make_from(const char* call, MPI_Datatype old, MPI_Datatype* result,
                                                    Make&& make) {
  return on_rank(call, [&](Rank& rank) {
    check_result(result);
    give(result, make(rank, type_argument(rank, old)));
  });
}

inline __attribute__((always_inline)) int make_hvector_call(const char* call, MPI_Count count,
                                                            MPI_Count length, MPI_Aint stride,
                                                            MPI_Datatype old, MPI_Datatype* result,
                                                            Width width = Width::ints) {
  return make_from(call, old, result,
                   [&](Rank&, Datatype& type) { return make_hvector(count, length, stride, type, width); });
}

template <class Count>
inline __attribute__((always_inline)) int make_hindexed_call(const char* call, Count count,
                                                             const Count* lengths,
                                                             const MPI_Aint* displacements, MPI_Datatype old,
                                                             MPI_Datatype* result) {
  return make_from(call, old, result, [&](Rank&, Datatype& type) {
    return make_hindexed(array_argument(lengths, count), array_argument(displacements, count), type);
  });
}

template <class Count>
inline __attribute__((always_inline)) int make_struct_call(const char* call, Count count,
                                                           const Count* lengths,
                                                           const MPI_Aint* displacements,
                                                           const MPI_Datatype* handles,
                                                           MPI_Datatype* result) {
  return on_rank(call, [&](Rank& rank) {
    check_result(result);
    std::vector<Datatype*> types;
    for (MPI_Datatype handle : array_argument(handles, count)) types.push_back(&type_argument(rank, handle));
    give(result, make_struct(array_argument(lengths, count), array_argument(displacements, count), types));
  });
}

inline __attribute__((always_inline)) int make_f90_call(const char* call, int combiner, int precision,
                                                        int range, MPI_Datatype* result) {
  return on_rank(call, [&](Rank& rank) {
    check_result(result);
    *result = handle_of<MPI_Datatype>(&f90_type(&rank, combiner, precision, range));
  });
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/types/constructor_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Type_hvector,
         (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make_hvector_call("MPI_Type_hvector", count, blocklength, stride, oldtype, newtype);
}

MPI_CALL(int, Type_hindexed,
         (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
          MPI_Datatype* newtype)) {
  return make_hindexed_call("MPI_Type_hindexed", count, array_of_blocklengths, array_of_displacements,
                            oldtype, newtype);
}

MPI_CALL(int, Type_struct,
         (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
          MPI_Datatype array_of_types[], MPI_Datatype* newtype)) {
  return make_struct_call("MPI_Type_struct", count, array_of_blocklengths, array_of_displacements,
                          array_of_types, newtype);
}

MPI_CALL(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make_from("MPI_Type_dup", oldtype, newtype, [&](Rank& rank, Datatype& old) {
    *newtype = MPI_DATATYPE_NULL;  // what the program finds there when a copy function fails
    Reference<Datatype> copy = make_dup(old);
    Attributes::of(rank).copy_all(old, *copy, Carrier::datatype);
    return copy;
  });
}

MPI_CALL(int, Type_create_f90_real, (int p, int r, MPI_Datatype* newtype)) {
  return make_f90_call("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, p, r, newtype);
}

MPI_CALL(int, Type_create_f90_complex, (int p, int r, MPI_Datatype* newtype)) {
  return make_f90_call("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}

MPI_CALL(int, Type_create_f90_integer, (int r, MPI_Datatype* newtype)) {
  return make_f90_call("MPI_Type_create_f90_integer", MPI_COMBINER_F90_INTEGER, 0, r, newtype);
}

MPI_CALL(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype)) {
  return on_rank("MPI_Type_match_size", [&](Rank&) {
    check_result(datatype);
    *datatype = handle_of<MPI_Datatype>(&matching_type(typeclass, size));
  });
}

MPI_CALL(int, Type_commit, (MPI_Datatype * datatype)) {
  return on_rank("MPI_Type_commit", [&](Rank& rank) {
    check_result(datatype);
    Datatype& type = type_argument(rank, *datatype);
    if (!type.predefined) type.committed = true;
  });
}

MPI_CALL(int, Type_free, (MPI_Datatype * datatype)) {
  return on_rank("MPI_Type_free", [&](Rank& rank) {
    check_result(datatype);
    Datatype& type = type_argument(rank, *datatype);
    require(!type.predefined, MPI_ERR_TYPE, "predefined datatypes may not be freed");
    Attributes::of(rank).remove_all(type, Carrier::datatype);
    *datatype = MPI_DATATYPE_NULL;
    type.release();
  });
}

}  // namespace taihu::mpi
