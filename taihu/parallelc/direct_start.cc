// SPDX-License-Identifier: Apache-2.0
// A Parallel C program that is started without parcrun runs as a job of one process (node/direct_start.h).
#include "taihu/node/direct_start.h"

#include <dlfcn.h>

namespace taihu::parallelc {
namespace {

__attribute__((constructor)) void run_directly_started_program(int argc, char** argv, char**) {
  if (node::is_node_process()) return;                          // loaded by the node process: the usual way
  if (dlsym(RTLD_DEFAULT, "taihu_program") == nullptr) return;  // not a program made by parcc
  node::start_through("parcrun", argc, argv);
}

}  // namespace
}  // namespace taihu::parallelc
