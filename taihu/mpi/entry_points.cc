// SPDX-License-Identifier: Apache-2.0
// What mpi-node calls in libmpi_abi.so.1.
#include <pthread.h>

#include "taihu/memory/libc/threads.h"
#include "taihu/mpi/node_process.h"
#include "taihu/node/node_process.h"

extern "C" {

__attribute__((visibility("default"))) int taihu_run_node_process(int argc, char** argv) {
  // Lives until the process ends: threads that ranks leave behind may still use it.
  return taihu::node::run_node_process(*new taihu::mpi::Mpi, argc, argv);
}

__attribute__((visibility("default"))) int taihu_create_thread(pthread_t* thread,
                                                               const pthread_attr_t* attributes,
                                                               void* (*run)(void*), void* argument) {
  return taihu::memory::create_thread(thread, attributes, run, argument);
}
}
