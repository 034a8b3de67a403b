// SPDX-License-Identifier: Apache-2.0
// Sparse of the Parallel Research Kernels: result += matrix * vector, for the star of a radius on a periodic
// grid of 2^L x 2^L points whose numbers have their bits reversed; rows are dealt in blocks. A rank adds to
// its part of the vector and puts it into everybody's copy, with a reply word; there are two sets of copies:
// others are at most one iteration ahead. Time of one iteration.
#include <limits.h>
#include <math.h>

#include "kernels.h"

static int arrived[2];

static long reversed(long value, int bits) {
  long result = 0;
  for (int i = 0; i < bits; i++) result = result << 1 | (value >> i & 1);
  return result;
}

static int ascending(const void* a, const void* b) {
  const long first = *(const long*)a, second = *(const long*)b;
  return (first > second) - (first < second);
}

// Columns of the entries of row `row`, ascending: 4 radius + 1.
static void fill_row(long* columns, long row, int logarithm, long radius) {
  const long size = 1L << logarithm, x = row & (size - 1), y = row >> logarithm;
  long n = 0;
  for (long r = -radius; r <= radius; r++) {
    columns[n++] = reversed(((x + r) & (size - 1)) + (y << logarithm), 2 * logarithm);
    if (r != 0) columns[n++] = reversed(x + (((y + r) & (size - 1)) << logarithm), 2 * logarithm);
  }
  qsort(columns, n, sizeof *columns, ascending);
}

// Puts this rank's rows of `vector` into everybody's, and waits for theirs.
static void spread(double* vector, long first, long count, long iteration) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  handle_t* handles = memory(size * sizeof *handles);
  for (int step = 1; step < size; step++) {
    const int to = (rank + step) % size;
    handles[step] =
        m_msg_put(to, &vector[first], &vector[first], count * sizeof(double), &arrived[iteration % 2]);
  }
  m_wait_reply(&arrived[iteration % 2], (int)(iteration / 2 + 1) * (size - 1));
  for (int step = 1; step < size; step++) m_wait_msg(handles[step]);
  free(handles);
}

int main(int argc, char** argv) {
  const char* usage = "sparse ITERATIONS LOGARITHM RADIUS";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long iterations = argument(argc, argv, 1, 1, usage), logarithm = argument(argc, argv, 2, 0, usage);
  const long radius = argument(argc, argv, 3, 0, usage), entries = 4 * radius + 1;
  if (logarithm > 20 || 1L << logarithm < 2 * radius + 1 || 1L << 2 * logarithm < size)
    refuse("sparse: a grid of 2^%ld is beyond 2^20, or too small for radius %ld or %d ranks", logarithm,
           radius, size);
  if (iterations / 2 + 1 > INT_MAX / size) refuse("sparse: iterations are too many for %d ranks", size);
  const long rows = 1L << 2 * logarithm, first = first_of(rows, rank, size),
             count = first_of(rows, rank + 1, size) - first;
  long* columns = memory(count * entries * sizeof *columns);
  double *matrix = memory(count * entries * sizeof *matrix), *result = memory(count * sizeof *result);
  double* vectors[2] = {symmetric_memory(rows * sizeof(double)), symmetric_memory(rows * sizeof(double))};
  for (long row = 0; row < count; row++)
    fill_row(columns + row * entries, first + row, (int)logarithm, radius), result[row] = 0;
  for (long i = 0; i < count * entries; i++) matrix[i] = 1.0 / (columns[i] + 1);
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    const double* before = vectors[1 - iteration % 2];
    double* vector = vectors[iteration % 2];
    for (long row = first; row < first + count; row++) vector[row] = before[row] + (row + 1);
    spread(vector, first, count, iteration);
    for (long row = 0; row < count; row++) {
      double sum = 0;
      for (long i = row * entries; i < (row + 1) * entries; i++) sum += matrix[i] * vector[columns[i]];
      result[row] += sum;
    }
  }
  const double seconds = (m_wtime() - begin) / iterations;
  // Entry (row, c) is 1 / (c + 1), and in iteration k the vector has (k + 1) (c + 1) there.
  const double expected = 0.5 * rows * entries * (iterations + 1) * (iterations + 2);
  double sum = 0;
  for (long row = 0; row < count; row++) sum += result[row];
  m_allreduce(CCC_ALL, &sum, &sum, 1, M_DOUBLE, M_SUM);
  free(columns), free(matrix), free(result);
  m_free(vectors[0]), m_free(vectors[1]);
  return report("sparse", seconds, 2e-6 * rows * entries, "Mflop", fabs(sum - expected) <= 1e-8 * expected);
}
