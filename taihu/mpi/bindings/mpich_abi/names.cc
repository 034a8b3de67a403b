// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/mpich_abi/names.h"

#include <array>
#include <mutex>
#include <utility>

#include "taihu/mpi/objects/call.h"

namespace taihu::mpi::mpich {
namespace {

constexpr std::size_t most_unavailable = 1024;

std::mutex lock;
std::size_t used = 0;
std::array<std::string, most_unavailable> names;

template <std::size_t index>
void refuse() {
  const std::string& name = names[index];
  end_job(this_rank(name.c_str()), 1,
          name +
              " is not available: Taihu has the calls of MPI-3.1 and those that its list of MPI calls names "
              "beyond; do without it");
}

template <std::size_t... index>
constexpr std::array<void (*)(), sizeof...(index)> refusals(std::index_sequence<index...>) {
  return {&refuse<index>...};
}

}  // namespace

bool is_library(std::string_view library) noexcept {
  library = library.substr(library.rfind('/') + 1);
  constexpr std::string_view end = ".so.12";
  if (!library.ends_with(end)) return false;
  library.remove_suffix(end.size());
  // Cray's libraries carry the name of the compiler.
  return library == "libmpi" || library == "libmpich" || library == "libmpi_cray" ||
         library.starts_with("libmpi_gnu_") || library.starts_with("libmpi_intel_");
}

std::string symbol_of(std::string_view name) {
  for (const std::string_view begin : {"MPI_", "PMPI_", "MPIX_", "PMPIX_", "MPIR_"}) {
    if (name.starts_with(begin)) return "taihu_mpich_" + std::string(name.substr(begin.size()));
  }
  // Between MPICH's own libraries.
  constexpr std::string_view internal = "MPII_";
  return name.starts_with(internal) ? "taihu_mpich_internal_" + std::string(name.substr(internal.size()))
                                    : std::string();
}

void* unavailable_call(std::string_view name) {
  static constexpr auto functions = refusals(std::make_index_sequence<most_unavailable>());
  const std::lock_guard hold(lock);
  for (std::size_t i = 0; i < used; ++i) {
    if (names[i] == name) return reinterpret_cast<void*>(functions[i]);
  }
  if (used == most_unavailable) return nullptr;
  names[used] = name;
  return reinterpret_cast<void*>(functions[used++]);
}

}  // namespace taihu::mpi::mpich
