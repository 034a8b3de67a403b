// SPDX-License-Identifier: Apache-2.0
// What mpi-node calls in libmpi_abi.so.1.
#include <dlfcn.h>
#include <pthread.h>

#include <string>
#include <string_view>

#include "taihu/memory/image/link_unit.h"
#include "taihu/memory/libc/threads.h"
#include "taihu/mpi/node_process.h"
#include "taihu/node/node_process.h"

namespace {

/// The calls of MPI that code of ranks gets. It must not be left to the dynamic loader to find them: Open MPI
/// puts its own names into the global scope when it starts, and that comes first.
void* find_call(std::string_view name) {
  bool is_call = false;
  for (const std::string_view begin : {"MPI_", "PMPI_", "mpi_", "pmpi_"})
    is_call = is_call || name.starts_with(begin);
  if (!is_call) return nullptr;
  static void* const this_library = [] {
    Dl_info self{};
    dladdr(reinterpret_cast<const void*>(&find_call), &self);
    return dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return dlsym(this_library, std::string(name).c_str());
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int taihu_run_node_process(int argc, char** argv) {
  taihu::memory::set_runtime_calls(&find_call);
  // Lives until the process ends: threads that ranks leave behind may still use it.
  return taihu::node::run_node_process(*new taihu::mpi::Mpi, argc, argv);
}

__attribute__((visibility("default"))) int taihu_create_thread(pthread_t* thread,
                                                               const pthread_attr_t* attributes,
                                                               void* (*run)(void*), void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
