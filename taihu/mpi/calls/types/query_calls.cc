// SPDX-License-Identifier: Apache-2.0
// The calls that ask about datatypes and addresses, and those that ask statuses for numbers of elements.
#include <limits>

#include "taihu/mpi/calls/types/call_arguments.h"
#include "taihu/mpi/objects/status.h"
#include "taihu/mpi/types/elements.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi {
namespace {

// The guards note who has called, so what uses them is inlined into the call.

/// The standard's answer when the value does not fit.
template <class Number>
Number as_number(MPI_Count value) {
  return value > std::numeric_limits<Number>::max() ? Number{MPI_UNDEFINED} : static_cast<Number>(value);
}

/// Runs ask_type(Datatype&) with the results at `first` and `second`, which must be there.
template <class Ask>
inline __attribute__((always_inline)) int ask(const char* call, MPI_Datatype handle, const void* first,
                                              const void* second, Ask&& ask_type) {
  return on_rank(call, [&](Rank& rank) {
    check_result(first);
    check_result(second);
    ask_type(type_argument(rank, handle));
  });
}

template <class Number>
inline __attribute__((always_inline)) int ask_status(const char* call, const MPI_Status* status,
                                                     MPI_Datatype handle, Number* result,
                                                     MPI_Count (*from_bytes)(const Datatype&, MPI_Count)) {
  return ask(call, handle, result, result, [&](Datatype& type) {
    require(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
    *result = as_number<Number>(from_bytes(type, bytes_of(*status)));
  });
}

inline __attribute__((always_inline)) int set_elements(const char* call, MPI_Status* status,
                                                       MPI_Datatype handle, MPI_Count count) {
  return on_rank(call, [&](Rank& rank) {
    require(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
    check_count_argument(count);
    set_bytes(*status, bytes_from_elements(type_argument(rank, handle), count));
  });
}

inline __attribute__((always_inline)) int get_address(const char* call, const void* location,
                                                      MPI_Aint* address) {
  return on_rank(call, [&](Rank&) {
    check_result(address);
    *address = reinterpret_cast<MPI_Aint>(location);
  });
}

template <class Number>
void tell_bounds(MPI_Count lower_bound, MPI_Count extent, Number* lower_result, Number* extent_result) {
  *lower_result = lower_bound;
  *extent_result = extent;
}

/// What MPI_Type_get_contents gives for a type: predefined ones as they are, else a new equal object, which
/// the program frees and which has no attributes.
Reference<Datatype> for_contents(Datatype& type) {
  if (type.predefined) return Reference<Datatype>::to(&type);
  Reference<Datatype> equal(new Datatype(type.form, type.recipe));
  equal->committed = type.committed;
  return equal;
}

/// Room in the arrays of MPI_Type_get_contents.
struct Room {
  MPI_Count integers, addresses, large_counts, datatypes;
};

void check_room(std::size_t wanted, MPI_Count room, const char* what) {
  require(room >= 0 && wanted <= static_cast<std::size_t>(room), MPI_ERR_ARG, [&] {
    return std::string("there is no room for all ") + what + ": " + std::to_string(wanted) +
           " (MPI_Type_get_envelope tells the numbers)";
  });
}

const Recipe& recipe_argument(Rank& rank, MPI_Datatype handle) {
  const Recipe& recipe = type_argument(rank, handle).recipe;
  require(recipe.combiner != MPI_COMBINER_NAMED, MPI_ERR_TYPE, "predefined datatypes have no contents");
  return recipe;
}

/// The calls without large counts have no place for those of such a type.
void require_int_recipe(const Recipe& recipe) {
  require(recipe.large_counts.empty(), MPI_ERR_TYPE,
          "the datatype was made with large counts; call MPI_Type_get_envelope_c and "
          "MPI_Type_get_contents_c");
}

void give_contents(const Recipe& recipe, const Room& room, int* integers, MPI_Aint* addresses,
                   MPI_Count* large_counts, MPI_Datatype* datatypes) {
  check_room(recipe.integers.size(), room.integers, "integers");
  check_room(recipe.addresses.size(), room.addresses, "addresses");
  check_room(recipe.large_counts.size(), room.large_counts, "large counts");
  check_room(recipe.types.size(), room.datatypes, "datatypes");
  std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
  std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
  std::copy(recipe.large_counts.begin(), recipe.large_counts.end(), large_counts);
  for (const Reference<Datatype>& type : recipe.types) give(datatypes++, for_contents(*type));
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/types/query_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size)) {
  return ask("MPI_Type_size_x", datatype, size, size, [&](Datatype& type) { *size = type.size_bytes; });
}

MPI_CALL(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)) {
  return ask("MPI_Type_get_extent_x", datatype, lb, extent,
             [&](Datatype& type) { tell_bounds(type.lower_bound, type.extent, lb, extent); });
}

MPI_CALL(int, Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)) {
  return ask("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent, [&](Datatype& type) {
    tell_bounds(type.true_lower_bound, type.true_extent, true_lb, true_extent);
  });
}

MPI_CALL(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent)) {
  return ask("MPI_Type_extent", datatype, extent, extent, [&](Datatype& type) { *extent = type.extent; });
}

MPI_CALL(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  return ask("MPI_Type_lb", datatype, displacement, displacement,
             [&](Datatype& type) { *displacement = type.lower_bound; });
}

MPI_CALL(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement)) {
  return ask("MPI_Type_ub", datatype, displacement, displacement,
             [&](Datatype& type) { *displacement = type.form.upper_bound; });
}

MPI_CALL(int, Type_get_envelope,
         (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner)) {
  return ask("MPI_Type_get_envelope", datatype, num_integers, num_addresses, [&](Datatype& type) {
    check_result(num_datatypes);
    check_result(combiner);
    const Recipe& recipe = type.recipe;
    require_int_recipe(recipe);
    *num_integers = static_cast<int>(recipe.integers.size());
    *num_addresses = static_cast<int>(recipe.addresses.size());
    *num_datatypes = static_cast<int>(recipe.types.size());
    *combiner = recipe.combiner;
  });
}

MPI_CALL(int, Type_get_envelope_c,
         (MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
          MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner)) {
  return ask("MPI_Type_get_envelope_c", datatype, num_integers, num_addresses, [&](Datatype& type) {
    check_result(num_large_counts);
    check_result(num_datatypes);
    check_result(combiner);
    const Recipe& recipe = type.recipe;
    *num_integers = static_cast<MPI_Count>(recipe.integers.size());
    *num_addresses = static_cast<MPI_Count>(recipe.addresses.size());
    *num_large_counts = static_cast<MPI_Count>(recipe.large_counts.size());
    *num_datatypes = static_cast<MPI_Count>(recipe.types.size());
    *combiner = recipe.combiner;
  });
}

MPI_CALL(int, Type_get_contents,
         (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
          int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[])) {
  return on_rank("MPI_Type_get_contents", [&](Rank& rank) {
    const Recipe& recipe = recipe_argument(rank, datatype);
    require_int_recipe(recipe);
    give_contents(recipe, {max_integers, max_addresses, 0, max_datatypes}, array_of_integers,
                  array_of_addresses, nullptr, array_of_datatypes);
  });
}

MPI_CALL(int, Type_get_contents_c,
         (MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
          MPI_Count max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
          MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[])) {
  return on_rank("MPI_Type_get_contents_c", [&](Rank& rank) {
    give_contents(recipe_argument(rank, datatype),
                  {max_integers, max_addresses, max_large_counts, max_datatypes}, array_of_integers,
                  array_of_addresses, array_of_large_counts, array_of_datatypes);
  });
}

MPI_CALL(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return ask_status("MPI_Get_elements_x", status, datatype, count, elements_from_bytes);
}

MPI_CALL(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
  return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}

MPI_CALL(int, Get_address, (const void* location, MPI_Aint* address)) {
  return get_address("MPI_Get_address", location, address);
}

MPI_CALL(int, Address, (void* location, MPI_Aint* address)) {
  return get_address("MPI_Address", location, address);
}

MPI_CALL(int, Type_get_value_index,
         (MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type)) {
  return on_rank("MPI_Type_get_value_index", [&](Rank& rank) {
    check_result(pair_type);
    const Datatype& value = type_argument(rank, value_type);
    const Datatype& index = type_argument(rank, index_type);
    *pair_type = MPI_DATATYPE_NULL;
    for (MPI_Datatype handle : {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                                MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER}) {
      const PairParts* const parts = pair_parts(*predefined_datatype(handle));
      if (parts != nullptr && parts->first == &value && parts->second == &index) *pair_type = handle;
    }
  });
}

// These two have no way to fail: they are plain arithmetic, also outside of MPI_Init and MPI_Finalize.
MPI_CALL(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp)) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_CALL(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2)) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

}  // namespace taihu::mpi
