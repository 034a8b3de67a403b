// SPDX-License-Identifier: Apache-2.0
// What a rank has opened for itself alone is found by no search through everything: neither its own nor another rank's.
// RUN: %macc -g -fPIC -shared -DPLUGIN %s -o %t.so
// RUN: %macc -g %s -o %t
// RUN: %marun -n 3 %t %t.so | FileCheck-19 %s
// CHECK-COUNT-3: not found
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef PLUGIN
int only_in_plugin(void) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);  // so that the plugin needs the MPI library
  return size;
}
#else
int main(int count, char **words) {
  int rank = 0, size = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 1) {
    void *const plugin = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    int (*const call)(void) = plugin ? (int (*)(void))dlsym(plugin, "only_in_plugin") : NULL;
    if (!call || call() != size) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%s\n", dlsym(RTLD_DEFAULT, "only_in_plugin") ? "found" : "not found");
  MPI_Finalize();
  return 0;
}
#endif
