// SPDX-License-Identifier: Apache-2.0
// MPI with OpenMP: a heat equation on a line, cut among ranks, computed by the threads of each, against the
// same in one go.
#include <math.h>

#include "check.h"

enum { cells = 997, steps = 200 };
static double now[cells + 2], next[cells + 2], whole[2][cells + 2];

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int first = cells * rank / ranks + 1, last = cells * (rank + 1) / ranks;
  for (int i = 0; i <= cells + 1; ++i) now[i] = whole[0][i] = i % 17 == 0 ? i : 0;
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&now[last], 1, MPI_DOUBLE, above, 0, &now[first - 1], 1, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[first], 1, MPI_DOUBLE, below, 1, &now[last + 1], 1, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for num_threads(3)
    for (int i = first; i <= last; ++i) next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    memcpy(&now[first], &next[first], sizeof now[0] * (size_t)(last - first + 1));
    double(*const from)[cells + 2] = &whole[step % 2], (*const to)[cells + 2] = &whole[(step + 1) % 2];
    memcpy(*to, *from, sizeof *to);
    for (int i = 1; i <= cells; ++i)
      (*to)[i] = 0.25 * (*from)[i - 1] + 0.5 * (*from)[i] + 0.25 * (*from)[i + 1];
  }
  for (int i = first; i <= last; ++i) CHECK(now[i] == whole[steps % 2][i]);
  return end("hybrid");
}
