// SPDX-License-Identifier: Apache-2.0
// parallelc-node: the node process program. All of it is in libparallelc.so, which programs link as well;
// this executable tells that library that it is hosted by a node process, and puts itself before libc where
// threads are created, so that those of shared libraries (OpenMP workers) belong to the rank that caused
// them.
#include <pthread.h>

#include "taihu/memory/libc/thread_variable_room.h"

extern "C" {

__attribute__((visibility("default"))) extern const int taihu_node_process = 1;

TAIHU_THREAD_VARIABLE_ROOM;

int taihu_run_node_process(int argc, char** argv);
int taihu_create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                        void* argument);

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                          void* (*run)(void*), void* argument) noexcept {
  return taihu_create_thread(thread, attributes, run, argument);
}
}

int main(int argc, char** argv) {
  return taihu_run_node_process(argc, argv);
}
