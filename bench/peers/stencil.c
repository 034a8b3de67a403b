// SPDX-License-Identifier: Apache-2.0
// Stencil of the Parallel Research Kernels: a star of radius 2, the discrete divergence of the field x + y,
// on N x N points dealt in tiles; the field grows by one in each iteration. Edges go by strided puts out of
// the grid into packed halos of the neighbours, each with a reply word. There are two sets of halos: a
// neighbour is at most one iteration ahead. Time of one iteration.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { radius = 2, points_of_star = 4 * radius + 1 };
enum { left, right, below, above, sides };

// A tile of `width` x `height` points with `radius` halo points around; rows are `pitch` points long.
typedef struct {
  long n, first_x, first_y, width, height, pitch;
  double* restrict in;
  double* restrict out;
  int neighbours[sides];  // -1: the edge of the grid
  double* halos[2][sides];
} tile;

static int arrived[2][sides];

static double* at(const tile* t, long x, long y) {
  return t->in + (y + radius) * t->pitch + x + radius;
}

// Where the points lie that go to the neighbour of a side, or come from it (`halo`); and how many blocks of
// how many points.
static double* edge(const tile* t, int side, int halo, long* blocks, long* block) {
  const int vertical = side == below || side == above;
  *blocks = vertical ? radius : t->height;
  *block = vertical ? t->width : radius;
  if (side == left || side == below)
    return halo ? at(t, vertical ? 0 : -radius, vertical ? -radius : 0) : at(t, 0, 0);
  const long back = halo ? 0 : radius;
  return vertical ? at(t, 0, t->height - back) : at(t, t->width - back, 0);
}

static void exchange(tile* t, long iteration) {
  const int set = iteration % 2;
  handle_t handles[sides] = {M_NO_HANDLE};
  long blocks, block;
  for (int side = 0; side < sides; side++) {
    if (t->neighbours[side] < 0) continue;
    double* from = edge(t, side, 0, &blocks, &block);
    handles[side] = m_msg_put_stride(
        t->neighbours[side], from, t->halos[set][side ^ 1], blocks * block * sizeof(double),
        block * sizeof(double), t->pitch * sizeof(double), block * sizeof(double), &arrived[set][side ^ 1]);
  }
  for (int side = 0; side < sides; side++) {
    if (t->neighbours[side] < 0) continue;
    m_wait_reply(&arrived[set][side], (int)(iteration / 2) + 1);
    double* to = edge(t, side, 1, &blocks, &block);
    for (long i = 0; i < blocks; i++)
      memcpy(to + i * t->pitch, t->halos[set][side] + i * block, block * sizeof(double));
  }
  for (int side = 0; side < sides; side++) m_wait_msg(handles[side]);
}

// Bounds of the points of one direction that are not within `radius` of the grid's edge.
static long inner_begin(long first) {
  return first < radius ? radius - first : 0;
}
static long inner_end(long first, long count, long n) {
  return first + count > n - radius ? n - radius - first : count;
}

static void apply(tile* t, const double* weights_x, const double* weights_y) {
  const long begin = inner_begin(t->first_x), end = inner_end(t->first_x, t->width, t->n), pitch = t->pitch;
  for (long y = inner_begin(t->first_y); y < inner_end(t->first_y, t->height, t->n); y++) {
    const double* restrict in = at(t, 0, y);
    double* restrict out = t->out + y * t->width;
    for (long x = begin; x < end; x++) {
      double sum = out[x];
      for (int r = -radius; r <= radius; r++) sum += weights_y[r] * in[x + r * pitch];
      for (int r = -radius; r <= radius; r++) sum += weights_x[r] * in[x + r];
      out[x] = sum;
    }
  }
  for (long y = 0; y < t->height; y++)
    for (long x = 0; x < t->width; x++) *at(t, x, y) += 1;
}

static double sum_of_results(const tile* t) {
  double sum = 0;
  for (long y = inner_begin(t->first_y); y < inner_end(t->first_y, t->height, t->n); y++)
    for (long x = inner_begin(t->first_x); x < inner_end(t->first_x, t->width, t->n); x++)
      sum += fabs(t->out[y * t->width + x]);
  return sum;
}

static tile make_tile(long n) {
  const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  int down = 1;  // tiles in y; those in x are as many or more
  for (int d = 1; d * d <= size; d++) down = size % d == 0 ? d : down;
  const int across = size / down, x = rank % across, y = rank / across;
  tile t = {.n = n, .first_x = first_of(n, x, across), .first_y = first_of(n, y, down)};
  t.width = first_of(n, x + 1, across) - t.first_x, t.height = first_of(n, y + 1, down) - t.first_y;
  if (n / across < radius)
    refuse("stencil: %ld points in %d tiles are fewer than %d each", n, across, radius);
  t.pitch = t.width + 2 * radius;
  t.in = memory(t.pitch * (t.height + 2 * radius) * sizeof(double));
  t.out = memory(t.width * t.height * sizeof(double));
  t.neighbours[left] = x > 0 ? rank - 1 : -1, t.neighbours[right] = x + 1 < across ? rank + 1 : -1;
  t.neighbours[below] = y > 0 ? rank - across : -1, t.neighbours[above] = y + 1 < down ? rank + across : -1;
  for (int i = 0; i < 2 * sides; i++)
    t.halos[i / sides][i % sides] = symmetric_memory(n * radius * sizeof(double));
  for (long row = 0; row < t.height; row++)
    for (long column = 0; column < t.width; column++)
      *at(&t, column, row) = t.first_x + column + t.first_y + row, t.out[row * t.width + column] = 0;
  return t;
}

int main(int argc, char** argv) {
  const char* usage = "stencil ITERATIONS N";
  const long iterations = argument(argc, argv, 1, 1, usage),
             n = argument(argc, argv, 2, points_of_star / 2 + 1, usage);
  if (iterations >= INT_MAX) refuse("stencil: iterations are beyond %d", INT_MAX - 1);
  double weights[points_of_star] = {0}, *middle = weights + radius;
  for (int r = 1; r <= radius; r++) middle[r] = 1.0 / (2 * r * radius), middle[-r] = -middle[r];
  tile t = make_tile(n);
  double begin = 0;
  for (long iteration = 0; iteration <= iterations; iteration++) {
    if (iteration == 1) {  // the first one warms up
      m_barrier(CCC_ALL);
      begin = m_wtime();
    }
    exchange(&t, iteration);
    apply(&t, middle, middle);
  }
  const double seconds = (m_wtime() - begin) / iterations,
               inner = (double)(n - 2 * radius) * (n - 2 * radius);
  double norm = sum_of_results(&t);
  m_allreduce(CCC_ALL, &norm, &norm, 1, M_DOUBLE, M_SUM);
  const int correct = fabs(norm / inner - 2.0 * (iterations + 1)) < 1e-8;
  for (int i = 0; i < 2 * sides; i++) m_free(t.halos[i / sides][i % sides]);
  free(t.in), free(t.out);
  return report("stencil", seconds, 1e-6 * (2 * points_of_star + 1) * inner, "Mflop", correct);
}
