// SPDX-License-Identifier: Apache-2.0
// Synch_p2p of the Parallel Research Kernels: the pipelined recurrence v(i,j) = v(i-1,j) + v(i,j-1) -
// v(i-1,j-1) on a grid of WIDTH x HEIGHT points whose columns are dealt in blocks; each row goes on to the
// right by a put of one number with a reply word. The last corner, negated, starts the next iteration. Time
// of one iteration.
#include <limits.h>
#include <math.h>

#include "kernels.h"

static double corner;
static int arrived, corner_arrived;

// One iteration over rows of `count` points; `left[j]` is the point before row j, `before` iterations have
// been.
static void sweep(double* rows, double* left, long count, long height, long before) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  for (long j = 1; j < height; j++) {
    double* row = rows + j * count;
    const double* below = row - count;
    if (rank > 0) {
      m_wait_reply(&arrived, (int)(before * (height - 1) + j));
      row[0] = left[j] + below[0] - left[j - 1];
    }
    double last = row[0];  // in a register: the chain is what limits the speed
    for (long i = 1; i < count; i++) row[i] = last = last + (below[i] - below[i - 1]);
    if (rank + 1 < size) m_msg_put_wait(rank + 1, &row[count - 1], &left[j], sizeof(double), &arrived);
  }
}

int main(int argc, char** argv) {
  const char* usage = "synch_p2p ITERATIONS WIDTH HEIGHT";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long iterations = argument(argc, argv, 1, 1, usage), width = argument(argc, argv, 2, 2, usage);
  const long height = argument(argc, argv, 3, 2, usage);
  // The corner changes column 0 of row 0, which no other rank may need as its point to the left.
  if (width <= size) refuse("synch_p2p: %ld columns are not more than %d ranks", width, size);
  if (iterations + 1 > INT_MAX / (height - 1))
    refuse("synch_p2p: iterations times height is beyond %d", INT_MAX);
  const long first = first_of(width, rank, size), count = first_of(width, rank + 1, size) - first;
  double* rows = memory(count * height * sizeof *rows);
  double* left = symmetric_memory(height * sizeof *left);
  for (long i = 0; i < count; i++) rows[i] = first + i;
  for (long i = count; i < count * height; i++) rows[i] = 0;
  for (long j = 0; rank == 0 && j < height; j++) rows[j * count] = j;
  left[0] = first - 1;
  m_barrier(CCC_ALL);
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    sweep(rows, left, count, height, iteration);
    if (rank == size - 1) {
      double negated = -rows[count * height - 1];
      m_msg_put_wait(0, &negated, &corner, sizeof corner, &corner_arrived);
    }
    if (rank == 0) {
      m_wait_reply(&corner_arrived, (int)iteration + 1);
      rows[0] = corner;
    }
  }
  const double seconds = (m_wtime() - begin) / iterations;
  const double expected = (double)(iterations + 1) * (width + height - 2);
  const int right = rank < size - 1 || fabs(rows[count * height - 1] - expected) < 1e-8 * expected;
  m_barrier(CCC_ALL);
  free(rows);
  m_free(left);
  return report("synch_p2p", seconds, 2e-6 * (width - 1) * (height - 1), "Mflop", right);
}
