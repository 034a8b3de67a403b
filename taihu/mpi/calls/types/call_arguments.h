// SPDX-License-Identifier: Apache-2.0
// Arguments of calls about datatypes, checked.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi {

inline Datatype& type_argument(Rank& rank, MPI_Datatype handle) {
  return checked<Datatype>(rank, handle, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL or not valid");
}

/// For data that is moved now.
inline Datatype& committed_argument(Rank& rank, MPI_Datatype handle) {
  Datatype& type = type_argument(rank, handle);
  require(type.committed, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first");
  return type;
}

inline void check_result(const void* pointer) {
  require(pointer != nullptr, MPI_ERR_ARG, "the place for the result is a null pointer");
}

inline void check_count_argument(MPI_Count count) {
  require(count >= 0, MPI_ERR_COUNT, [&] { return "the count " + std::to_string(count) + " is negative"; });
}

/// An array of `count` values.
template <class T>
std::span<const T> array_argument(const T* values, MPI_Count count) {
  check_count_argument(count);
  require(count == 0 || values != nullptr, MPI_ERR_ARG, "an array is a null pointer, but the count is not 0");
  return {values, static_cast<std::size_t>(count)};
}

/// A value as the program asks for it; error MPI_ERR_VALUE_TOO_LARGE when its int cannot hold it.
template <class Number>
Number fitting(MPI_Count value, const char* what) {
  if constexpr (sizeof(Number) < sizeof(MPI_Count)) {
    require(value <= std::numeric_limits<Number>::max(), MPI_ERR_VALUE_TOO_LARGE, [&] {
      return std::string(what) + " does not fit an int: " + std::to_string(value) +
             "; use the call with large counts (_c)";
    });
  }
  return static_cast<Number>(value);
}

/// Gives a new type to the program.
inline void give(MPI_Datatype* result, Reference<Datatype> type) {
  *result = handle_of<MPI_Datatype>(type.give_up());
}

}  // namespace taihu::mpi
