// SPDX-License-Identifier: Apache-2.0
// What placing and moving data early brings on a processor with caches, each pair with the same results:
// software prefetch, stores past the caches, packing of columns and of members, streams through buffers as in
// a scratchpad; beyond the caches, and within them. Prints medians of alternating runs and their ratio.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { side = 4096, many = 1 << 24, few = 1 << 14, repeats = 5, strip = 8, tile = 512 };

static double (*grid)[side];
static struct cell {
  double value, rest[3];
}* cells;
static double *a, *b, *c;
static long* counts;
static int* at;
static long length = many, entries = many;  ///< of the loops, and of the table that they look up
static double kept;

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
// Without packing: the lines of a strip are read one row after the other.
static void columns_in_strips(void) {
  for (long from = 0; from < side; from += 8 * strip)
    for (long i = 1; i < side; i++)
      for (long j = from; j < from + 8 * strip; j++) grid[i][j] = 0.5 * (grid[i][j] + grid[i - 1][j]);
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

#define PREFETCH(distance, address) \
  if (distance) __builtin_prefetch(address(i + (distance) < length ? i + (distance) : length - 1))
#define TABLE(i) &b[at[i]]
#define COUNT(i) &counts[at[i]]
static inline void gather(long distance) {
  double sum = 0;
  for (long i = 0; i < length; i++) {
    PREFETCH(distance, TABLE);
    sum += b[at[i]];
  }
  kept = sum;
}
// What is looked up decides which way the loop goes, and the processor guesses.
static inline void branches(long distance) {
  double sum = 0, other = 1;
  for (long i = 0; i < length; i++) {
    PREFETCH(distance, TABLE);
    if ((long)b[at[i]] % 3 == 0)
      sum += b[at[i]];
    else
      other = other * 0.5 + sum;
  }
  kept = sum + other;
}
// Long work for each look-up: few of them are on the way at once.
static inline void works(long distance) {
  double sum = 0;
  for (long i = 0; i < length; i++) {
    PREFETCH(distance, TABLE);
    double x = b[at[i]], y = 1;
    for (int k = 0; k < 16; k++) y = y * x * 1e-9 + (double)k;
    sum += y;
  }
  kept = sum;
}
static inline void updates(long distance) {
  for (long i = 0; i < length; i++) {
    PREFETCH(distance, COUNT);
    counts[at[i]]++;
  }
  kept = (double)counts[at[length / 2]];
}
#define AHEAD(name)             \
  static void name##_0(void) {  \
    name(0);                    \
  }                             \
  static void name##_8(void) {  \
    name(8);                    \
  }                             \
  static void name##_32(void) { \
    name(32);                   \
  }
AHEAD(gather)
AHEAD(branches)
AHEAD(works)
AHEAD(updates)

#ifdef __clang__
#define PAST_CACHES(value, place) __builtin_nontemporal_store(value, place)
#else
#define PAST_CACHES(value, place) (*(place) = (value))
#endif
typedef double two __attribute__((vector_size(16)));
#define STORES(name, value)                                          \
  static void name##_plain(void) {                                   \
    two *x = (two*)a, *y = (two*)b, *z = (two*)c;                    \
    (void)x, (void)y;                                                \
    for (long i = 0; i < length / 2; i++) z[i] = value;              \
    kept = c[length / 3];                                            \
  }                                                                  \
  static void name##_past_caches(void) {                             \
    two *x = (two*)a, *y = (two*)b, *z = (two*)c;                    \
    (void)x, (void)y;                                                \
    for (long i = 0; i < length / 2; i++) PAST_CACHES(value, &z[i]); \
    kept = c[length / 3];                                            \
  }
STORES(fill, ((two){(double)i, 2}))
STORES(scale, y[i] * 2)
STORES(add, x[i] + 3 * y[i])

static void streams_through_buffers(void) {
  static double x[tile], y[tile], z[tile];
  for (long from = 0; from < length; from += tile) {
    memcpy(x, a + from, sizeof x);
    memcpy(y, b + from, sizeof y);
    for (long i = 0; i < tile; i++) z[i] = x[i] + 3 * y[i];
    memcpy(c + from, z, sizeof z);
  }
  kept = c[length / 3];
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
  double times[2][repeats], results[2];
  const int turns = length == few ? 200 : 1;
  const int compares = plain != columns_plain && plain != updates_0;  // those go on from what they have left
  for (int run = -1; run < repeats; run++)
    for (int kind = 0; kind < 2; kind++) {
      const double begin = now();
      for (int turn = 0; turn < turns; turn++) (kind ? changed : plain)();
      if (run >= 0) times[kind][run] = now() - begin;
      results[kind] = kept;
    }
  if (compares && memcmp(&results[0], &results[1], sizeof(double)) != 0) {
    fprintf(stderr, "%s: results differ\n", name);
    exit(1);
  }
  for (int kind = 0; kind < 2; kind++) qsort(times[kind], repeats, sizeof(double), compare);
  const double one = times[0][repeats / 2], other = times[1][repeats / 2];
  printf("| %s | %.1f ms | %.1f ms | %.2f |\n", name, one, other, one / other);
  fflush(stdout);
}

static void fill_indices(void) {
  unsigned long state = 88172645463325252UL;
  for (long i = 0; i < length; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    at[i] = (int)(state % (unsigned long)entries);
  }
}

#define DISTANCES(text, name) \
  pair(text ", 8 ahead", name##_0, name##_8), pair(text ", 32 ahead", name##_0, name##_32)

static void look_ups(void) {
  fill_indices();
  DISTANCES("look-up", gather);
  DISTANCES("look-up that branches", branches);
  DISTANCES("look-up and long work", works);
  DISTANCES("counting", updates);
}
static void stores(void) {
  pair("c = i past the caches", fill_plain, fill_past_caches);
  pair("c = 2 b past the caches", scale_plain, scale_past_caches);
  pair("c = a + 3 b past the caches", add_plain, add_past_caches);
}

int main(void) {
  grid = malloc(sizeof(double) * side * side);
  cells = malloc(sizeof *cells * (many / 4));
  a = malloc(sizeof(double) * many), b = malloc(sizeof(double) * many), c = malloc(sizeof(double) * many);
  counts = calloc(many, sizeof(long));
  at = malloc(sizeof(int) * many);
  if (!grid || !cells || !a || !b || !c || !at || !counts) return 1;
  for (long i = 0; i < side; i++)
    for (long j = 0; j < side; j++) grid[i][j] = (double)(i + j);
  for (long i = 0; i < many / 4; i++) cells[i].value = (double)i;
  for (long i = 0; i < many; i++) a[i] = b[i] = (double)i, c[i] = 0, at[i] = 0;
  puts("| beyond the caches | plain | changed | plain / changed |\n|---|---|---|---|");
  pair("columns of a grid, packed by eight", columns_plain, columns_packed);
  pair("columns of a grid, in strips of 64", columns_plain, columns_in_strips);
  pair("one member of structures, packed, four rounds", members_plain, members_packed);
  pair("streams through buffers", add_plain, streams_through_buffers);
  stores();
  length = many / 4;
  look_ups();
  puts("\n| within the second cache | plain | changed | plain / changed |\n|---|---|---|---|");
  length = entries = few;
  stores();
  look_ups();
  puts("\n| within the third cache | plain | changed | plain / changed |\n|---|---|---|---|");
  length = entries = 1 << 20;
  stores();
  look_ups();
  return 0;
}
