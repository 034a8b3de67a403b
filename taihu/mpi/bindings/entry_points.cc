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
#include "taihu/mpi/work/messages/buffered_sends.h"
#include "taihu/node/node_process.h"

namespace {

/// For which library the program was built. It shows with the first library of MPI that a part of it needs.
enum class Abi { unknown, ours, mpich };
std::atomic<Abi> abi{Abi::unknown};

/// In place of MPICH's library nothing is loaded. Of both kinds there cannot be parts in a program: the same
/// names mean different calls.
bool replaces(std::string_view library, const std::string& user) {
  const bool is_mpich = taihu::mpi::mpich::is_library(library);
  if (!is_mpich && library != "libmpi_abi.so.1") return false;
  const Abi wanted = is_mpich ? Abi::mpich : Abi::ours;
  Abi before = Abi::unknown;
  taihu::check_input(abi.compare_exchange_strong(before, wanted) || before == wanted,
                     "'" + user + "' needs " + std::string(library) +
                         ", but another part of the program was built with " +
                         (is_mpich ? "Taihu's MPI library" : "MPICH or one of its relatives") +
                         "; build all of it with macc, mac++ or mafc");
  if (is_mpich) taihu::mpi::messages::set_buffered_overhead(taihu::mpi::mpich::their_MPI_BSEND_OVERHEAD);
  return is_mpich;
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
  if (abi.load(std::memory_order_relaxed) == Abi::mpich) {
    const std::string symbol = taihu::mpi::mpich::symbol_of(name);
    if (symbol.empty()) return nullptr;
    void* const found = find_here(symbol);
    return found != nullptr || !must_exist ? found : taihu::mpi::mpich::unavailable_call(name);
  }
  for (const std::string_view begin : {"MPI_", "PMPI_", "mpi_", "pmpi_"}) {
    if (name.starts_with(begin)) return find_here(std::string(name));
  }
  return nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int taihu_run_node_process(int argc, char** argv) {
  taihu::memory::set_runtime_calls(&find_call, &replaces);
  // Lives until the process ends: threads that ranks leave behind may still use it.
  return taihu::node::run_node_process(*new taihu::mpi::Mpi, argc, argv);
}

__attribute__((visibility("default"))) int taihu_create_thread(pthread_t* thread,
                                                               const pthread_attr_t* attributes,
                                                               void* (*run)(void*), void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
