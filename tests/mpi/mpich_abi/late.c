/* SPDX-License-Identifier: Apache-2.0
 * A program that is linked to no library of MPI and opens a part that is, as a Python interpreter does. What
 * it sees before must not tell it that the program is built for the standard's ABI. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: late LIBRARY\n");
    return 2;
  }
  void* const program = dlopen(NULL, RTLD_NOW);
  if (program == NULL || dlsym(program, "MPI_Get_version") == NULL) {
    fprintf(stderr, "check failed: no MPI_Get_version in the program\n");
    return 1;
  }
  if (dlsym(program, "MPI_Abi_get_version") != NULL) {
    fprintf(stderr, "check failed: MPI_Abi_get_version is there, but no part was built for it\n");
    return 1;
  }
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "check failed: %s\n", dlerror());
    return 1;
  }
  int (*start)(int*, char***) = NULL;
  int (*finish)(void) = NULL;
  int (*sum)(int) = NULL;
  *(void**)&start = dlsym(program, "MPI_Init");
  *(void**)&finish = dlsym(program, "MPI_Finalize");
  *(void**)&sum = dlsym(library, "sum_over_ranks");
  if (start == NULL || finish == NULL || sum == NULL) {
    fprintf(stderr, "check failed: calls are missing\n");
    return 1;
  }
  start(NULL, NULL);
  const int ranks = sum(1);
  finish();
  printf("late: passed on %d ranks\n", ranks);
  return 0;
}
