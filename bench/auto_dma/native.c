// SPDX-License-Identifier: Apache-2.0
// What moving data early brings on a processor with caches, each pair with the same results: packing of
// columns, of one member of structures, software prefetch, stores past the caches, streams through buffers as
// in a scratchpad. Prints medians of alternating runs and their ratio; for a machine that does nothing else.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { side = 4096, many = 1 << 22, repeats = 9, strip = 8, tile = 512 };

static double (*grid)[side];
static struct cell {
  double value, rest[3];
}* cells;
static double *a, *b, *c;
static int* at;
static volatile double kept;

static void columns_plain(void) {
  for (long j = 0; j < side; j++)
    for (long i = 1; i < side; i++) grid[i][j] = 0.5 * (grid[i][j] + grid[i - 1][j]);
}
static void columns_packed(void) {
  static double packed[strip][side];
  for (long from = 0; from < side; from += strip) {
    for (long i = 0; i < side; i++)
      for (long j = 0; j < strip; j++) packed[j][i] = grid[i][from + j];
    for (long j = 0; j < strip; j++)
      for (long i = 1; i < side; i++) packed[j][i] = 0.5 * (packed[j][i] + packed[j][i - 1]);
    for (long i = 0; i < side; i++)
      for (long j = 0; j < strip; j++) grid[i][from + j] = packed[j][i];
  }
}
static void members_plain(void) {
  double sum = 0;
  for (int round = 0; round < 4; round++)
    for (long i = 0; i < many / 4; i++) sum += cells[i].value * (double)round;
  kept = sum;
}
static void members_packed(void) {
  double sum = 0;
  for (long i = 0; i < many / 4; i++) a[i] = cells[i].value;
  for (int round = 0; round < 4; round++)
    for (long i = 0; i < many / 4; i++) sum += a[i] * (double)round;
  kept = sum;
}
static void gather_plain(void) {
  double sum = 0;
  for (long i = 0; i < many; i++) sum += b[at[i]];
  kept = sum;
}
static void gather_prefetched(void) {
  double sum = 0;
  for (long i = 0; i < many - 16; i++) {
    __builtin_prefetch(&b[at[i + 16]]);
    sum += b[at[i]];
  }
  for (long i = many - 16; i < many; i++) sum += b[at[i]];
  kept = sum;
}
static void stores_plain(void) {
  for (long i = 0; i < many; i++) c[i] = b[i] * 2;
}
static void stores_past_caches(void) {
#ifdef __clang__
  for (long i = 0; i < many; i++) __builtin_nontemporal_store(b[i] * 2, &c[i]);
#else
  stores_plain();
#endif
}
static void streams_plain(void) {
  for (long i = 0; i < many; i++) c[i] = a[i] + 3 * b[i];
}
static void streams_through_buffers(void) {
  static double x[tile], y[tile], z[tile];
  for (long from = 0; from < many; from += tile) {
    memcpy(x, a + from, sizeof x);
    memcpy(y, b + from, sizeof y);
    for (long i = 0; i < tile; i++) z[i] = x[i] + 3 * y[i];
    memcpy(c + from, z, sizeof z);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}
static int compare(const void* one, const void* other) {
  const double x = *(const double*)one, y = *(const double*)other;
  return (x > y) - (x < y);
}
static void pair(const char* name, void (*plain)(void), void (*changed)(void)) {
  double times[2][repeats];
  for (int run = -1; run < repeats; run++)
    for (int kind = 0; kind < 2; kind++) {
      const double begin = now();
      (kind ? changed : plain)();
      if (run >= 0) times[kind][run] = now() - begin;
    }
  for (int kind = 0; kind < 2; kind++) qsort(times[kind], repeats, sizeof(double), compare);
  const double one = times[0][repeats / 2], other = times[1][repeats / 2];
  printf("| %s | %.1f ms | %.1f ms | %.2f |\n", name, one, other, one / other);
}

int main(void) {
  grid = malloc(sizeof(double) * side * side);
  cells = malloc(sizeof *cells * (many / 4));
  a = malloc(sizeof(double) * many), b = malloc(sizeof(double) * many), c = malloc(sizeof(double) * many);
  at = malloc(sizeof(int) * many);
  if (!grid || !cells || !a || !b || !c || !at) return 1;
  for (long i = 0; i < side; i++)
    for (long j = 0; j < side; j++) grid[i][j] = (double)(i + j);
  for (long i = 0; i < many / 4; i++) cells[i].value = (double)i;
  for (long i = 0; i < many; i++) a[i] = b[i] = (double)i, c[i] = 0, at[i] = (int)(i * 7919 % many);
  puts("| | plain | changed | plain / changed |\n|---|---|---|---|");
  pair("columns of a grid, packed by eight", columns_plain, columns_packed);
  pair("one member of structures, packed, four rounds", members_plain, members_packed);
  pair("gather, prefetched 16 ahead", gather_plain, gather_prefetched);
  pair("stores past the caches", stores_plain, stores_past_caches);
  pair("streams through buffers", streams_plain, streams_through_buffers);
  return 0;
}
