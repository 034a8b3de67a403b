// SPDX-License-Identifier: Apache-2.0
// Times of the kernels plain, changed and plain elsewhere, in turns on the same data: usage: compare
// LENGTH... Prints for each kernel and length of its arrays the best time of each in milliseconds, by the
// clock of the thread, which does not count what others do on the processor meanwhile. Ends when results
// differ in a bit.
#define _GNU_SOURCE
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels.h"

// Short lengths are worked on again and again, until it is at least as much as `work`, and what takes little
// time is measured more often.
enum { work = 1 << 22, least_repeats = 3, most_repeats = 30, versions = 3 };
static const double enough_milliseconds = 60;  // of all versions

double a[many + side], b[many], c[many], sum_of_kernel;
long counts[many];
int at[many];

static void reset(long length, long rows) {
  unsigned long state = 88172645463325252UL;
  for (long i = 0; i < length; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    at[i] = (int)(state % (unsigned long)length);
    a[i] = (double)(i % 1000), b[i] = (double)i, c[i] = 0, counts[i] = 0;
  }
  for (long i = length; i < rows * side; i++) a[i] = (double)(i % 1000);
  sum_of_kernel = 0;
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
static __kernel void take_turns(void* argument) {
  struct turns* turns = argument;
  const double begin = now();
  for (int turn = 0; turn < turns->count; turn++) turns->run(&turns->part);
  turns->milliseconds = now() - begin;
}

static double time_of(void (*run)(void*), struct part part) {
  struct turns turns = {run, part, part.length < work ? (int)(work / part.length) : 1, 0};
  m_run(take_turns, &turns);
  return turns.milliseconds;
}

static unsigned long sum_of(const void* memory, unsigned long bytes, unsigned long sum) {
  const unsigned long* words = memory;
  for (unsigned long i = 0; i < bytes / sizeof *words; i++) sum = (sum ^ words[i]) * 1099511628211UL;
  return sum;
}

/// Over the bits of what the kernel leaves of data as they were in the beginning.
static unsigned long bits_of(void (*run)(void*), struct part part) {
  reset(part.length, part.rows);
  time_of(run, part);
  const unsigned long bytes = (unsigned long)part.length * sizeof(double),
                      grid_bytes = (unsigned long)(part.rows * side) * sizeof(double);
  return sum_of(&sum_of_kernel, sizeof sum_of_kernel,
                sum_of(c, bytes, sum_of(counts, bytes, sum_of(a, grid_bytes, 14695981039346656037UL))));
}

static void compare(int k, struct part part) {
  void (*const runs[versions])(void*) = {plain_kernels[k].run, changed_kernels[k].run, again_kernels[k].run};
  const char* const name = plain_kernels[k].name;
  if (bits_of(runs[0], part) != bits_of(runs[1], part)) {
    fprintf(stderr, "compare: %s, %ld: results differ\n", name, part.length);
    exit(1);
  }
  double best[versions] = {1e9, 1e9, 1e9}, all = 0;
  for (int repeat = 0; repeat < least_repeats || (repeat < most_repeats && all < enough_milliseconds);
       repeat++)
    for (int turn = 0; turn < versions; turn++) {
      const int version = (turn + repeat) % versions;
      const double time = time_of(runs[version], part);
      if (time < best[version]) best[version] = time;
      all += time;
    }
  printf("%s %ld %.4f %.4f %.4f\n", name, part.length, best[0], best[1], best[2]);
}

int main(int count, char** words) {
  for (int word = 1; word < count; word++) {
    struct part part = {atol(words[word]), 0};
    if (part.length < 64 || part.length > many || part.length % 64 != 0) {
      fprintf(stderr, "compare: usage: compare LENGTH..., multiples of 64 up to %d\n", many);
      return 2;
    }
    while ((part.rows + 1) * (part.rows + 1) <= part.length) part.rows++;
    for (int k = 0; plain_kernels[k].name != NULL; k++) compare(k, part);
  }
  return 0;
}
