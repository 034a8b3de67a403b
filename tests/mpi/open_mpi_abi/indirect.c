// SPDX-License-Identifier: Apache-2.0
// A program that calls MPI only through a library of the system, to which it is linked or which it opens: the
// library's calls go to the ranks' MPI all the same, also when it opens MPI's library under the name for
// linking, as Rmpi does. What another library prints, which all ranks share, is not lost.
#ifdef PRINTS
#include <stdio.h>

void print_line(void) {
  puts("a line of the library");
}
#elif defined LIBRARY
#include <mpi.h>

int sum_over_ranks(int* ranks) {
  int rank, sum;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int sum_over_ranks(int* ranks);
void print_line(void);

int main(void) {
  int ranks = 0;
  print_line();
#ifdef OPENED
  void* library = dlopen("libindirect.so.1", RTLD_NOW);
  int (*sum)(int*) = library ? (int (*)(int*))dlsym(library, "sum_over_ranks") : 0;
  if (!sum) return fprintf(stderr, "%s\n", dlerror()), 1;
#else
  int (*sum)(int*) = sum_over_ranks;
#endif
  if (!dlopen("libmpi.so", RTLD_LAZY | RTLD_GLOBAL)) return fprintf(stderr, "%s\n", dlerror()), 1;
  const int found = sum(&ranks);
  printf("sum %d of %d ranks\n", found, ranks);
  return found == ranks * (ranks - 1) / 2 ? 0 : 1;
}
#endif
