// SPDX-License-Identifier: Apache-2.0
// Four ranks in two communicators of two, and in one between these two: a program for nocsim to replay.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void expect(int condition, const char* text) {
  if (condition) return;
  fprintf(stderr, "split_and_join: %s\n", text);
  exit(1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expect(ranks == 4, "run it with 4 ranks");

  const int color = rank % 2;
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, color, 0, &half);
  for (int round = 0; round < 10; ++round) {
    double mine = rank, sum = 0;
    // Members may make the same call in either form.
    if (rank < 2)
      MPI_Allreduce_c(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
    else
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
    expect(sum == 2 * color + 2, "wrong sum in a half");
    usleep(2000);
  }

  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - color, 7, &between);
  double mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
  expect(sum == 2 * (1 - color) + 2, "wrong sum of the other half");
  // From rank 2, member 1 of the even half, to the odd half.
  int told = rank == 2 ? 42 : 0;
  MPI_Bcast(&told, 1, MPI_INT, color == 1 ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL, between);
  expect(told == (rank == 0 ? 0 : 42), "wrong broadcast");
  MPI_Barrier(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
