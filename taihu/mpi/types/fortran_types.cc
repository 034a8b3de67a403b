// SPDX-License-Identifier: Apache-2.0
// Types for Fortran's kinds. Precisions and ranges are those of gfortran's real kinds 4, 8, 10 and 16 and of
// its integer kinds.
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::types {
namespace {

struct FloatKind {
  int precision, range;
  MPI_Datatype real, complex;
};
const FloatKind float_kinds[] = {{6, 37, MPI_REAL4, MPI_COMPLEX8},
                                 {15, 307, MPI_REAL8, MPI_COMPLEX16},
                                 {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
                                 {33, 4931, MPI_REAL16, MPI_COMPLEX32}};

struct IntegerKind {
  int range;
  MPI_Datatype type;
};
const IntegerKind integer_kinds[] = {
    {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}};

MPI_Datatype matching_kind(int combiner, int precision, int range) {
  if (combiner == MPI_COMBINER_F90_INTEGER) {
    for (const IntegerKind& kind : integer_kinds)
      if (range <= kind.range) return kind.type;
    throw CallError(MPI_ERR_ARG, "no integer kind has a range of " + std::to_string(range) + " digits");
  }
  require(precision != MPI_UNDEFINED || range != MPI_UNDEFINED, MPI_ERR_ARG,
          "precision and range are both MPI_UNDEFINED; give one of them");
  for (const FloatKind& kind : float_kinds)
    if ((precision == MPI_UNDEFINED || precision <= kind.precision) &&
        (range == MPI_UNDEFINED || range <= kind.range))
      return combiner == MPI_COMBINER_F90_REAL ? kind.real : kind.complex;
  throw CallError(MPI_ERR_ARG, "no real kind has a precision of " + std::to_string(precision) +
                                   " digits and an exponent range of " + std::to_string(range));
}

Datatype* new_type(int combiner, int precision, int range) {
  Datatype* const kind = predefined_datatype(matching_kind(combiner, precision, range));
  require(kind != nullptr, MPI_ERR_ARG, "the platform has no type of this precision and range");
  Recipe recipe{combiner, {precision, range}, {}, {}};
  if (combiner == MPI_COMBINER_F90_INTEGER) recipe.integers = {range};
  auto* const type = new Datatype(kind->form, std::move(recipe));
  type->predefined = true;
  type->committed = true;
  return type;
}

struct SizedType {
  int type_class;
  int size_bytes;
  MPI_Datatype type;
};
const SizedType sized_types[] = {
    {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
    {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},   {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
    {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},   {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16},
    {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32}, {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},
    {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},  {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},
    {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},  {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16},
};

}  // namespace

Datatype& f90_type(const void* owner, int combiner, int precision, int range) {
  using Key = std::tuple<const void*, int, int, int>;
  static std::mutex lock;
  static auto* const types = new std::map<Key, Datatype*>;
  const Key key{owner, combiner, combiner == MPI_COMBINER_F90_INTEGER ? 0 : precision, range};
  const std::lock_guard hold(lock);
  const auto found = types->find(key);
  if (found != types->end()) return *found->second;
  Datatype* const type = new_type(combiner, precision, range);
  types->emplace(key, type);
  return *type;
}

Datatype& matching_type(int type_class, int size_bytes) {
  bool known_class = false;
  for (const SizedType& each : sized_types) {
    known_class = known_class || each.type_class == type_class;
    if (each.type_class == type_class && each.size_bytes == size_bytes)
      if (Datatype* const type = predefined_datatype(each.type)) return *type;
  }
  require(known_class, MPI_ERR_ARG,
          "the class is none of MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER and MPI_TYPECLASS_COMPLEX");
  throw CallError(MPI_ERR_ARG, "no type of this class has " + std::to_string(size_bytes) + " bytes");
}

}  // namespace taihu::mpi::types
