// SPDX-License-Identifier: Apache-2.0
// Kernels for parcc --optimise-for-host, beyond the caches and within them. Prints for each kernel and size
// its best time in milliseconds and a sum over the bits of its results.
#define _GNU_SOURCE
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { side = 4096, many = side * side, middle = 1 << 20, few = 1 << 14, repeats = 3 };

static double a[many], b[many], c[many];
static long counts[many];
static int at[many];
static double sum_of_kernel;
struct part {
  long length, rows;  ///< of all, and of a square in the grid
};

#define KERNEL(name) static __kernel void name(void* argument)
#define LENGTH const long length = ((const struct part*)argument)->length
#define ROWS const long rows = ((const struct part*)argument)->rows

KERNEL(look_up) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) sum += b[at[i]];
  sum_of_kernel = sum;
}
KERNEL(branches) {
  LENGTH;
  double sum = 0, other = 1;
  for (long i = 0; i < length; i++) {
    if ((long)b[at[i]] % 3 == 0)
      sum += b[at[i]];
    else
      other = other * 0.5 + sum;
  }
  sum_of_kernel = sum + other;
}
KERNEL(works) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) {
    double x = b[at[i]], y = 1;
    for (int k = 0; k < 16; k++) y = y * x * 1e-9 + (double)k;
    sum += y;
  }
  sum_of_kernel = sum;
}
KERNEL(counting) {
  LENGTH;
  for (long i = 0; i < length; i++) counts[at[i]]++;
}
// An index that is computed, as of a table of hashes.
KERNEL(hashes) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) {
    const unsigned long place = (unsigned long)at[i] * 0x9e3779b97f4a7c15UL >> 32;
    sum += b[place & (unsigned long)(length - 1)] > 1000 ? 1 : 0.5;
  }
  sum_of_kernel = sum;
}
// What caches and the processor's own prefetchers see to.
KERNEL(in_order) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) sum += b[at[i] % 64 + i - i % 64];
  sum_of_kernel = sum;
}
KERNEL(fill) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = (double)i;
}
KERNEL(scale) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = 2 * b[i];
}
KERNEL(add) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = a[i] + 3 * b[i];
}
KERNEL(two_rows) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = a[i] + b[i], counts[i] = (long)i;
}
KERNEL(in_place) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = c[i] * 0.5 + b[i];
}
// Columns of a grid: each element follows from the one above.
static double (*const grid)[side] = (double (*)[side])a;
KERNEL(columns) {
  ROWS;
  for (long j = 0; j < rows; j++)
    for (long i = 1; i < rows; i++) grid[i][j] = 0.5 * (grid[i][j] + grid[i - 1][j]);
}
KERNEL(transpose) {
  ROWS;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) c[i * rows + j] = grid[j][i];
}
KERNEL(column_sums) {
  ROWS;
  for (long j = 0; j < rows; j++) {
    double sum = 0;
    for (long i = 0; i < rows; i++) sum += grid[i][j];
    c[j] = sum;
  }
}

static void reset(long length) {
  unsigned long state = 88172645463325252UL;
  for (long i = 0; i < length; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    at[i] = (int)(state % (unsigned long)length);
    a[i] = (double)(i % 1000), b[i] = (double)i, c[i] = 0, counts[i] = 0;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static unsigned long sum_of(const void* memory, unsigned long bytes, unsigned long sum) {
  const unsigned long* words = memory;
  for (unsigned long i = 0; i < bytes / sizeof *words; i++) sum = (sum ^ words[i]) * 1099511628211UL;
  return sum;
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    void (*run)(void*);
  } kernels[] = {{"look_up", look_up},
                 {"branches", branches},
                 {"works", works},
                 {"counting", counting},
                 {"hashes", hashes},
                 {"in_order", in_order},
                 {"fill", fill},
                 {"scale", scale},
                 {"add", add},
                 {"two_rows", two_rows},
                 {"in_place", in_place},
                 {"columns", columns},
                 {"transpose", transpose},
                 {"column_sums", column_sums}};
  // Turns make what is short long enough to be measured.
  static const struct {
    struct part part;
    int turns;
  } sizes[] = {{{many, side}, 1}, {{middle, 1024}, 10}, {{few, 128}, 200}};
  for (unsigned long size = 0; size < sizeof sizes / sizeof *sizes; size++) {
    struct part part = sizes[size].part;
    const int turns = sizes[size].turns;
    if (count > 1 && part.length > atol(words[1])) continue;
    for (unsigned long k = 0; k < sizeof kernels / sizeof *kernels; k++) {
      reset(part.length);
      double best = 1e9;
      for (int repeat = 0; repeat < repeats; repeat++) {
        const double begin = now();
        for (int turn = 0; turn < turns; turn++) m_run(kernels[k].run, &part);
        const double time = now() - begin;
        if (time < best) best = time;
      }
      const unsigned long bytes = (unsigned long)part.length * sizeof(double);
      unsigned long sum =
          sum_of(c, bytes, sum_of(counts, bytes, sum_of(a, sizeof a, 14695981039346656037UL)));
      printf("%s %ld %.4f %016lx\n", kernels[k].name, part.length, best, sum_of(&sum_of_kernel, 8, sum));
    }
  }
  return 0;
}
