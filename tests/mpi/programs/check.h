/* SPDX-License-Identifier: Apache-2.0
 * What self-checking MPI programs share: a failed check names its place and rank and ends the job. */
#ifndef TESTS_MPI_CHECK_H
#define TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large_names.h"

static int rank, ranks;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: rank %d: check failed: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                                \
    }                                                                                              \
  } while (0)

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* Every rank calls it last; one line proves that all of them came here. */
static inline int end(const char* name) {
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all == ranks);
  if (rank == 0) printf("%s: passed on %d ranks\n", name, all);
  MPI_Finalize();
  return 0;
}

/* A sequence of pseudo-random numbers that is the same on every rank. */
static inline unsigned next_random(unsigned long long* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(*state >> 33);
}

#endif
