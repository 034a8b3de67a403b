// SPDX-License-Identifier: Apache-2.0
// Kernels for parcc --optimise-for-host, beyond the caches, within them and in between: usage: kernels
// LENGTH... Prints for each kernel and length of its arrays the best time in milliseconds, by the clock of
// its thread, which does not count what others do on the processor meanwhile, and a sum over the bits of its
// results.
#define _GNU_SOURCE
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Short lengths are worked on again and again, until it is at least as much as `work`, and what takes little
// time is measured more often.
enum { side = 4096, many = side * side, work = 1 << 22, least_repeats = 3, most_repeats = 30 };
static const double enough_milliseconds = 40;

static double a[many + side], b[many], c[many];
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
    sum += b[(place * (unsigned long)length) >> 32] > 1000 ? 1 : 0.5;
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
// Rows that begin in all sets of the caches.
KERNEL(transpose_odd) {
  ROWS;
  const long pitch = rows | 1;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) c[i * rows + j] = a[j * pitch + i];
}
KERNEL(column_sums) {
  ROWS;
  for (long j = 0; j < rows; j++) {
    double sum = 0;
    for (long i = 0; i < rows; i++) sum += grid[i][j];
    c[j] = sum;
  }
}

static void reset(long length, long rows) {
  unsigned long state = 88172645463325252UL;
  for (long i = 0; i < length; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    at[i] = (int)(state % (unsigned long)length);
    a[i] = (double)(i % 1000), b[i] = (double)i, c[i] = 0, counts[i] = 0;
  }
  for (long i = length; i < rows * side; i++) a[i] = (double)(i % 1000);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

struct turns {
  void (*run)(void*);
  struct part part;
  int count;
  double milliseconds;
};
KERNEL(take_turns) {
  struct turns* turns = argument;
  const double begin = now();
  for (int turn = 0; turn < turns->count; turn++) turns->run(&turns->part);
  turns->milliseconds = now() - begin;
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
                 {"transpose_odd", transpose_odd},
                 {"column_sums", column_sums}};
  for (int word = 1; word < count; word++) {
    const long length = atol(words[word]);
    if (length < 64 || length > many || length % 64 != 0) {
      fprintf(stderr, "kernels: usage: kernels LENGTH..., multiples of 64 up to %d\n", many);
      return 2;
    }
    long rows = 0;
    while ((rows + 1) * (rows + 1) <= length) rows++;
    for (unsigned long k = 0; k < sizeof kernels / sizeof *kernels; k++) {
      reset(length, rows);
      const unsigned long bytes = (unsigned long)length * sizeof(double),
                          grid_bytes = (unsigned long)rows * sizeof *grid;
      unsigned long sum = 0;
      double best = 1e9, all = 0;
      for (int repeat = 0; repeat < least_repeats || (repeat < most_repeats && all < enough_milliseconds);
           repeat++) {
        struct turns turns = {kernels[k].run, {length, rows}, length < work ? (int)(work / length) : 1, 0};
        m_run(take_turns, &turns);
        // The first ones are as many in each run of the program.
        if (repeat == 0)
          sum = sum_of(c, bytes, sum_of(counts, bytes, sum_of(a, grid_bytes, 14695981039346656037UL)));
        all += turns.milliseconds;
        if (turns.milliseconds < best) best = turns.milliseconds;
      }
      printf("%s %ld %.4f %016lx\n", kernels[k].name, length, best, sum_of(&sum_of_kernel, 8, sum));
    }
  }
  return 0;
}
