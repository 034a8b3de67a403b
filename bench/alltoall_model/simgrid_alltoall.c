// SPDX-License-Identifier: Apache-2.0
// Forms of alltoall over MPI, for SimGrid's simulated MPI (smpicc, smpirun): the schedules that network-model
// plays. Usage: simgrid_alltoall BLOCK_BYTES FORM ... with the forms ring, pairwise, and a number: so many
// exchanges of the ring at once. Prints one line for each: form and seconds until the last rank has ended.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static size_t block;
static char *source, *result;
static MPI_Request* requests;

// Exchanges [first, last) of the ring, together.
static void exchange(int first, int last) {
  int count = 0;
  for (int k = first; k < last; ++k) {
    if (k == 0) continue;
    const int to = (rank + k) % ranks, from = (rank - k + ranks) % ranks;
    MPI_Isend(source + (size_t)to * block, (int)block, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[count++]);
    MPI_Irecv(result + (size_t)from * block, (int)block, MPI_BYTE, from, 0, MPI_COMM_WORLD,
              &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void exchange_pairs(void) {
  for (int k = 1; k < ranks; ++k) {
    const int peer = rank ^ k;
    MPI_Isend(source + (size_t)peer * block, (int)block, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(result + (size_t)peer * block, (int)block, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || (ranks & (ranks - 1)) != 0) {
    fprintf(stderr, "usage: simgrid_alltoall BLOCK_BYTES FORM ... on a power of two of ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  block = (size_t)atol(argv[1]);
  source = SMPI_SHARED_MALLOC((size_t)ranks * block);
  result = SMPI_SHARED_MALLOC((size_t)ranks * block);
  requests = malloc(2 * (size_t)ranks * sizeof *requests);
  for (int word = 2; word < argc; ++word) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    const int window = strcmp(argv[word], "ring") == 0 ? 1 : atoi(argv[word]);
    if (strcmp(argv[word], "pairwise") == 0) {
      exchange_pairs();
    } else {
      for (int first = 0; first < ranks; first += window)
        exchange(first, first + window < ranks ? first + window : ranks);
    }
    double seconds = MPI_Wtime() - begin, longest = 0;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %.9g\n", argv[word], longest);
  }
  free(requests);
  SMPI_SHARED_FREE(source);
  SMPI_SHARED_FREE(result);
  MPI_Finalize();
  return 0;
}
