// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/open_mpi_abi/names.h"

#include <algorithm>
#include <array>

#include "taihu/mpi/bindings/open_mpi_abi/convert.h"

namespace taihu::mpi::open_mpi {
namespace {

using namespace std::literals;

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Procedures of the Fortran library that read or write the inside of objects (Open MPI 4.1.4 and 5.0.7,
/// ompi/mpi/fortran/mpif-h): in their place are those of fortran_calls.cc, of info objects of
/// fortran_internals.cc.
constexpr std::array own_procedures = {"attr_get"sv,
                                       "attr_put"sv,
                                       "comm_create_errhandler"sv,
                                       "comm_create_keyval"sv,
                                       "comm_get_attr"sv,
                                       "comm_set_attr"sv,
                                       "errhandler_create"sv,
                                       "file_create_errhandler"sv,
                                       "grequest_start"sv,
                                       "group_difference"sv,
                                       "group_excl"sv,
                                       "group_incl"sv,
                                       "group_intersection"sv,
                                       "group_range_excl"sv,
                                       "group_range_incl"sv,
                                       "group_union"sv,
                                       "info_get"sv,
                                       "info_get_nthkey"sv,
                                       "info_get_valuelen"sv,
                                       "keyval_create"sv,
                                       "op_create"sv,
                                       "register_datarep"sv,
                                       "request_free"sv,
                                       "test"sv,
                                       "testall"sv,
                                       "testany"sv,
                                       "testsome"sv,
                                       "waitall"sv,
                                       "waitany"sv,
                                       "waitsome"sv,
                                       "type_create_keyval"sv,
                                       "type_get_attr"sv,
                                       "type_match_size"sv,
                                       "type_set_attr"sv,
                                       "wait"sv,
                                       "win_create_errhandler"sv,
                                       "win_create_keyval"sv,
                                       "win_get_attr"sv,
                                       "win_set_attr"sv};

/// mpi_wait_, pmpi_wait_, ompi_wait_f, pompi_wait_f: "wait"; empty for other names.
std::string_view procedure_of(std::string_view name) {
  if (name.starts_with('p')) name.remove_prefix(1);
  std::string_view end = "_";
  if (name.starts_with("ompi_")) {
    name.remove_prefix(1);
    end = "_f";
  }
  if (!name.starts_with("mpi_") || !name.ends_with(end)) return {};
  name.remove_prefix(4);
  name.remove_suffix(end.size());
  return name;
}

// What the libraries for Fortran and C++ read of Open MPI's own variables. None of them is ever written by
// us: no internal error codes (a list of length 0), no parameter checks before ours, and an empty status.
const Status empty_status{their_MPI_ANY_SOURCE, their_MPI_ANY_TAG, 0, 0, 0};
const std::array<char, 256> zeros{};
const void* const no_status = &zeros;
struct Variable {
  std::string_view name;
  const void* place;
};
const Variable variables[] = {{"ompi_status_empty", &empty_status},
                              {"ompi_errcodes_intern", &zeros},
                              {"ompi_errcode_intern_lastused", &zeros},
                              {"ompi_mpi_param_check", &zeros},
                              {"ompi_mpi_state", &zeros},
                              {"ompi_instance_count", &zeros},
                              {"ompi_registered_datareps", &zeros},
                              {"opal_uses_threads", &zeros},
                              {"opal_class_init_epoch", &zeros},
                              {"opal_list_item_t_class", &zeros},
                              {"MPI_F_STATUS_IGNORE", &no_status},
                              {"MPI_F_STATUSES_IGNORE", &no_status}};

}  // namespace

bool is_library(std::string_view library) noexcept {
  const std::string_view name = last_part(library);
  return name == "libmpi.so.40" || name == "libopen-pal.so.40" || name == "libopen-rte.so.40" ||
         name == "libopen-pal.so.80";
}

bool is_fortran_library(std::string_view library) noexcept {
  return last_part(library).starts_with("libmpi_mpifh.so.40");
}

std::string symbol_of(std::string_view name) {
  const std::string prefix = "taihu_open_mpi_";
  for (const std::string_view begin : {"MPI_", "PMPI_", "MPIX_", "PMPIX_"}) {
    if (name.starts_with(begin)) return prefix + std::string(name.substr(begin.size()));
  }
  if (name.starts_with("OMPI_C_MPI_")) {
    return prefix + (name.ends_with("_DUP_FN")          ? "Dup_fn"
                     : name.ends_with("NULL_COPY_FN")   ? "Null_copy_fn"
                     : name.ends_with("NULL_DELETE_FN") ? "Null_delete_fn"
                                                        : std::string(name));
  }
  const std::string_view procedure = procedure_of(name);
  if (std::find(own_procedures.begin(), own_procedures.end(), procedure) != own_procedures.end())
    return prefix + "fortran_" + std::string(procedure);
  if (name.starts_with("mpi_") && (name.ends_with("_fn_") || name.ends_with("_fn_null_")))
    return prefix + "internal_" + std::string(name);
  for (const std::string_view begin : {"ompi_", "opal_", "orte_", "OMPI_"}) {
    if (name.starts_with(begin)) return prefix + "internal_" + std::string(name);
  }
  return {};
}

const void* variable(std::string_view name) noexcept {
  for (const Variable& one : variables) {
    if (one.name == name) return one.place;
  }
  // Places that programs in Fortran define when they use them.
  if (name.starts_with("mpi_fortran_")) return &zeros;
  return predefined_variable(name);
}

}  // namespace taihu::mpi::open_mpi
