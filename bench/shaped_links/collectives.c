// SPDX-License-Identifier: Apache-2.0
// One collective with data that are checked: COLLECTIVE BYTES TURNS prints seconds of each turn, the slowest
// rank's. Bytes are those of the buffer of bcast and allreduce, of a block of the others; `pair`: a message
// from the first rank to the last, and an empty answer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void check(int right) {
  if (right) return;
  fprintf(stderr, "collectives: rank %d got wrong data\n", rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(int* buffer, size_t count, int seed) {
  for (size_t k = 0; k < count; ++k) buffer[k] = seed + (int)(k % 1000);
}

static void check_filled(const int* buffer, size_t count, int seed) {
  for (size_t k = 0; k < count; ++k) check(buffer[k] == seed + (int)(k % 1000));
}

static void run(const char* name, int* out, int* in, size_t count, int turn, double* seconds) {
  const size_t n = (size_t)ranks;
  if (strcmp(name, "alltoall") == 0 || strcmp(name, "reduce_scatter") == 0)
    for (size_t k = 0; k < n; ++k) fill(out + k * count, count, turn + rank * 7 + (int)k);
  else
    fill(out, count, turn + rank * 7);
  if (strcmp(name, "bcast") == 0 && rank == 0) fill(in, count, turn);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (strcmp(name, "bcast") == 0) {
    MPI_Bcast(in, (int)count, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(name, "allgather") == 0) {
    MPI_Allgather(out, (int)count, MPI_INT, in, (int)count, MPI_INT, MPI_COMM_WORLD);
  } else if (strcmp(name, "allreduce") == 0) {
    MPI_Allreduce(out, in, (int)count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(name, "reduce_scatter") == 0) {
    MPI_Reduce_scatter_block(out, in, (int)count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(name, "alltoall") == 0) {
    MPI_Alltoall(out, (int)count, MPI_INT, in, (int)count, MPI_INT, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Send(out, (int)count, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == ranks - 1) {
    MPI_Recv(in, (int)count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  *seconds = MPI_Wtime() - start;
  if (strcmp(name, "bcast") == 0) check_filled(in, count, turn);
  for (size_t k = 0; k < n; ++k) {
    if (strcmp(name, "allgather") == 0) check_filled(in + k * count, count, turn + (int)k * 7);
    if (strcmp(name, "alltoall") == 0) check_filled(in + k * count, count, turn + (int)k * 7 + rank);
  }
  const int sum_of_ranks = ranks * (ranks - 1) / 2;
  for (size_t k = 0; k < count; ++k) {
    const int one = ranks * (turn + (int)(k % 1000)) + 7 * sum_of_ranks;
    if (strcmp(name, "allreduce") == 0) check(in[k] == one);
    if (strcmp(name, "reduce_scatter") == 0) check(in[k] == one + ranks * rank);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) {
    if (rank == 0) fprintf(stderr, "usage: collectives COLLECTIVE BYTES TURNS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t count = strtoul(argv[2], NULL, 10) / sizeof(int);
  int* const out = calloc(count * (size_t)ranks + 1, sizeof(int));
  int* const in = calloc(count * (size_t)ranks + 1, sizeof(int));
  if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int turn = -1; turn < atoi(argv[3]); ++turn) {  // the first one opens connections
    double mine = 0, all = 0;
    run(argv[1], out, in, count, turn + 1, &mine);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && turn >= 0) printf("%.9g\n", all);
  }
  free(out);
  free(in);
  return MPI_Finalize();
}
