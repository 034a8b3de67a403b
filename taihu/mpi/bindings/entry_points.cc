// SPDX-License-Identifier: Apache-2.0
// What mpi-node calls in libmpi_abi.so.1.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <string>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/memory/image/link_unit.h"
#include "taihu/memory/libc/threads.h"
#include "taihu/mpi/bindings/mpich_abi/constants.h"
#include "taihu/mpi/bindings/mpich_abi/names.h"
#include "taihu/mpi/bindings/node_process.h"
#include "taihu/mpi/bindings/open_mpi_abi/constants.h"
#include "taihu/mpi/bindings/open_mpi_abi/handles.h"
#include "taihu/mpi/bindings/open_mpi_abi/names.h"
#include "taihu/mpi/work/messages/buffered_sends.h"
#include "taihu/node/node_process.h"

namespace {

/// For which library the program was built. It shows with the first library of MPI that a part of it needs.
enum class Abi { unknown, ours, mpich, open_mpi };
std::atomic<Abi> abi{Abi::unknown};

const char* builder_of(Abi which) {
  return which == Abi::ours       ? "Taihu's MPI library"
         : which == Abi::open_mpi ? "Open MPI"
                                  : "MPICH or one of its relatives";
}

/// In place of MPICH's or Open MPI's library nothing is loaded. Of two kinds there cannot be parts in a
/// program: the same names mean different calls.
bool replaces(std::string_view library, const std::string& user) {
  // The name for linking, which a program may open as well (Rmpi), is of the library that it was built for.
  if (library == "libmpi.so") {
    const Abi known = abi.load(std::memory_order_relaxed);
    return known == Abi::mpich || known == Abi::open_mpi;
  }
  const Abi wanted = taihu::mpi::mpich::is_library(library)      ? Abi::mpich
                     : taihu::mpi::open_mpi::is_library(library) ? Abi::open_mpi
                     : library == "libmpi_abi.so.1"              ? Abi::ours
                                                                 : Abi::unknown;
  if (wanted == Abi::unknown) return false;
  Abi before = Abi::unknown;
  const bool fits = abi.compare_exchange_strong(before, wanted) || before == wanted;
  taihu::check_input(fits, "'" + user + "' needs " + std::string(library) +
                               ", but another part of the program was built with " + builder_of(before) +
                               "; build all of it with macc, mac++ or mafc");
  if (wanted == Abi::mpich)
    taihu::mpi::messages::set_buffered_overhead(taihu::mpi::mpich::their_MPI_BSEND_OVERHEAD);
  if (wanted == Abi::open_mpi)
    taihu::mpi::messages::set_buffered_overhead(taihu::mpi::open_mpi::their_MPI_BSEND_OVERHEAD);
  return wanted != Abi::ours;
}

bool overrides(std::string_view library) {
  return abi.load(std::memory_order_relaxed) == Abi::open_mpi &&
         taihu::mpi::open_mpi::is_fortran_library(library);
}

void variable_copied(void* runtime, const void* variable, void* copy) {
  if (abi.load(std::memory_order_relaxed) == Abi::open_mpi)
    taihu::mpi::open_mpi::PredefinedPlaces::of(*static_cast<taihu::mpi::Rank*>(runtime)).move(variable, copy);
}

void* find_here(const std::string& name) {
  static void* const this_library = [] {
    Dl_info self{};
    dladdr(reinterpret_cast<const void*>(&find_here), &self);
    return dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return dlsym(this_library, name.c_str());
}

/// The calls of MPI that code of ranks gets. It must not be left to the dynamic loader to find them: Open MPI
/// puts its own names into the global scope when it starts, and that comes first.
void* find_call(std::string_view name, bool must_exist) {
  if (abi.load(std::memory_order_relaxed) == Abi::open_mpi) {
    if (const void* const variable = taihu::mpi::open_mpi::variable(name)) return const_cast<void*>(variable);
    const std::string symbol = taihu::mpi::open_mpi::symbol_of(name);
    if (symbol.empty()) return nullptr;
    void* const found = find_here(symbol);
    return found != nullptr || !must_exist ? found : taihu::mpi::mpich::unavailable_call(name);
  }
  if (abi.load(std::memory_order_relaxed) == Abi::mpich) {
    const std::string symbol = taihu::mpi::mpich::symbol_of(name);
    if (symbol.empty()) return nullptr;
    void* const found = find_here(symbol);
    return found != nullptr || !must_exist ? found : taihu::mpi::mpich::unavailable_call(name);
  }
  // A program that is linked to no library of MPI, as a Python interpreter, looks by this name whether it
  // should load a part that was built for the standard's ABI. Only a part that is there already can say so:
  // packages are built for MPICH or Open MPI.
  if (abi.load(std::memory_order_relaxed) == Abi::unknown && name == "MPI_Abi_get_version") return nullptr;
  for (const std::string_view begin : {"MPI_", "PMPI_", "mpi_", "pmpi_"}) {
    if (name.starts_with(begin)) return find_here(std::string(name));
  }
  return nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int taihu_run_node_process(int argc, char** argv) {
  taihu::memory::set_runtime_calls(&find_call, &replaces, &overrides, &variable_copied);
  // Lives until the process ends: threads that ranks leave behind may still use it.
  return taihu::node::run_node_process(*new taihu::mpi::Mpi, argc, argv);
}

__attribute__((visibility("default"))) int taihu_create_thread(pthread_t* thread,
                                                               const pthread_attr_t* attributes,
                                                               void* (*run)(void*), void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
