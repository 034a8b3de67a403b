// SPDX-License-Identifier: Apache-2.0
// What the library tells about its binary interface (MPI-5.0 section 20.4). The Fortran bindings are the
// library's own, so what they are cannot be set: those of gfortran and flang, whose INTEGER and LOGICAL have
// four bytes and whose .TRUE. is 1.
#include <cstring>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi {
namespace {

Info::Entries abi_entries() {
  return {{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
          {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
          {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}};
}

Info::Entries fortran_entries() {
  Info::Entries entries = {{"mpi_logical_size", "4"},
                           {"mpi_integer_size", "4"},
                           {"mpi_real_size", "4"},
                           {"mpi_double_precision_size", "8"}};
  for (const char* type :
       {"logical1", "logical2", "logical4", "logical8", "integer1", "integer2", "integer4", "integer8",
        "real4", "real8", "real16", "complex8", "complex16", "complex32", "double_complex"})
    entries.emplace_back("mpi_" + std::string(type) + "_supported", "true");
  return entries;
}

/// A LOGICAL of `size` bytes, as the compilers have it.
bool store_logical(int size, bool value, void* place) {
  std::int64_t wide = value ? 1 : 0;
  if (size != 1 && size != 2 && size != 4 && size != 8) return false;
  std::memcpy(place, &wide, static_cast<std::size_t>(size));  // lowest byte first on all machines we run on
  return true;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

// Allowed before MPI_Init and after MPI_Finalize as well, so without a guard; null pointers are left alone.
MPI_CALL(int, Abi_get_version, (int* abi_major, int* abi_minor)) {
  if (abi_major == nullptr || abi_minor == nullptr) return MPI_ERR_ARG;
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

MPI_CALL(int, Abi_get_info, (MPI_Info * info)) {
  return at_any_time("MPI_Abi_get_info", [&](Rank&) {
    require_pointer(info, "info");
    *info = handle_of<MPI_Info>(new Info(abi_entries()));
  });
}

MPI_CALL(int, Abi_get_fortran_info, (MPI_Info * info)) {
  return at_any_time("MPI_Abi_get_fortran_info", [&](Rank&) {
    require_pointer(info, "info");
    *info = handle_of<MPI_Info>(new Info(fortran_entries()));
  });
}

MPI_CALL(int, Abi_set_fortran_info, (MPI_Info info)) {
  return at_any_time("MPI_Abi_set_fortran_info", [&](Rank& rank) {
    const Info::Entries ours = fortran_entries();
    for (const auto& [key, value] : entries_of(rank, info)) {
      for (const auto& [our_key, our_value] : ours) {
        require(key != our_key || value == our_value, MPI_ERR_ABI, [&, key = key, our_value = our_value] {
          return key + " is " + our_value + " in the library's Fortran bindings and cannot be set";
        });
      }
    }
  });
}

MPI_CALL(int, Abi_get_fortran_booleans,
         (int logical_size, void* logical_true, void* logical_false, int* is_set)) {
  return at_any_time("MPI_Abi_get_fortran_booleans", [&](Rank&) {
    require_pointer(logical_true, "logical_true");
    require_pointer(logical_false, "logical_false");
    require_pointer(is_set, "is_set");
    *is_set =
        store_logical(logical_size, true, logical_true) && store_logical(logical_size, false, logical_false)
            ? 1
            : 0;
  });
}

MPI_CALL(int, Abi_set_fortran_booleans, (int logical_size, void* logical_true, void* logical_false)) {
  return at_any_time("MPI_Abi_set_fortran_booleans", [&](Rank&) {
    require_pointer(logical_true, "logical_true");
    require_pointer(logical_false, "logical_false");
    unsigned char ours_true[8] = {}, ours_false[8] = {};
    require(store_logical(logical_size, true, ours_true) && store_logical(logical_size, false, ours_false),
            MPI_ERR_ARG, [&] { return "there is no LOGICAL of " + std::to_string(logical_size) + " bytes"; });
    const auto bytes = static_cast<std::size_t>(logical_size);
    require(std::memcmp(ours_true, logical_true, bytes) == 0 &&
                std::memcmp(ours_false, logical_false, bytes) == 0,
            MPI_ERR_ABI,
            "in the library's Fortran bindings .TRUE. is 1 and .FALSE. is 0, which cannot be set");
  });
}
