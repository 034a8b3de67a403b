// SPDX-License-Identifier: Apache-2.0
// Transpose of the Parallel Research Kernels: B += A^T, then A += 1, for matrices of N x N dealt in blocks of
// columns. A rank gets its rows of the others' columns in strips, the next one while it adds the one before;
// barriers keep A as it is meanwhile. Time of one iteration.
#include <math.h>

#include "kernels.h"

enum { strip = 32 };  // columns that are got at a time
enum { tile = 32 };   // rows of a strip that are transposed at a time

typedef struct {
  long n, first, count;  // columns in all, and those of this rank
  double* a;             // symmetric: column by column
  double* restrict b;
  double* strips[2];  // columns of this rank's rows
} matrices;

// Gets this rank's rows of up to `strip` columns of `rank` from `column` on, counted within that rank.
static handle_t get_strip(matrices* m, int rank, long column, long columns, double* to) {
  const long bytes = m->count * (long)sizeof(double);
  return m_msg_get_stride(rank, m->a + column * m->n + m->first, to, columns * bytes, bytes,
                          m->n * sizeof(double), bytes);
}

// Adds a strip, whose first column is `column` of A, to those rows of B.
static void add_transposed(matrices* m, const double* restrict from, long column, long columns) {
  for (long begin = 0; begin < m->count; begin += tile) {
    const long end = begin + tile < m->count ? begin + tile : m->count;
    for (long row = begin; row < end; row++)
      for (long i = 0; i < columns; i++) m->b[row * m->n + column + i] += from[i * m->count + row];
  }
}

static void transpose(matrices* m) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  handle_t under_way = M_NO_HANDLE;
  long column = 0, columns = 0;  // of the strip that is under way
  int turn = 0;
  for (int step = 0; step < size; step++) {  // each rank begins with itself: not all ask the same one
    const int from = (rank + step) % size;
    const long first = first_of(m->n, from, size), count = first_of(m->n, from + 1, size) - first;
    for (long next = 0; next < count; next += strip, turn = 1 - turn) {
      const long width = next + strip < count ? strip : count - next;
      const handle_t handle = get_strip(m, from, next, width, m->strips[turn]);
      m_wait_msg(under_way);
      add_transposed(m, m->strips[1 - turn], column, columns);
      under_way = handle, column = first + next, columns = width;
    }
  }
  m_wait_msg(under_way);
  add_transposed(m, m->strips[1 - turn], column, columns);
}

int main(int argc, char** argv) {
  const char* usage = "transpose ITERATIONS N";
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  const long iterations = argument(argc, argv, 1, 1, usage), n = argument(argc, argv, 2, 1, usage);
  if (n < size) refuse("transpose: %ld columns are fewer than %d ranks", n, size);
  matrices m = {.n = n, .first = first_of(n, rank, size)};
  m.count = first_of(n, rank + 1, size) - m.first;
  m.a = symmetric_memory((n + size - 1) / size * n * sizeof(double));
  m.b = memory(m.count * n * sizeof(double));
  for (int i = 0; i < 2; i++) m.strips[i] = memory(strip * m.count * sizeof(double));
  for (long i = 0; i < m.count * n; i++) m.a[i] = m.first * n + i, m.b[i] = 0;
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    m_barrier(CCC_ALL);
    if (iteration == 1) begin = m_wtime();  // the first one warms up
    transpose(&m);
    m_barrier(CCC_ALL);
    for (long i = 0; i < m.count * n; i++) m.a[i] += 1;
  }
  const double seconds = (m_wtime() - begin) / iterations, grown = iterations * (iterations + 1) / 2.0;
  double error = 0;
  for (long column = 0; column < m.count; column++)
    for (long row = 0; row < n; row++)
      error +=
          fabs(m.b[column * n + row] - ((double)(n * row + m.first + column) * (iterations + 1) + grown));
  m_allreduce(CCC_ALL, &error, &error, 1, M_DOUBLE, M_SUM);
  m_free(m.a);
  free(m.b), free(m.strips[0]), free(m.strips[1]);
  return report("transpose", seconds, 16e-6 * n * n, "MB", error < 1e-8);
}
