// SPDX-License-Identifier: Apache-2.0
// Times of the kernels that `sweep` has made: plain, changed, and plain at other places of the program, in
// turns on the same data. Usage: sweep [-o KERNEL] BYTES... Prints for each kernel and size the three times
// in microseconds, of as many rounds as show whether the changed one is slower. Ends when results differ in a
// bit.
#define _GNU_SOURCE
#include "sweep.h"

#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { versions = 3, most_repeats = 40, repeated_bytes = 1 << 20 };
static const double turn_microseconds = 200, enough_microseconds = 3e3;

char xs[most_bytes] __attribute__((aligned(4096))), ys[most_bytes] __attribute__((aligned(4096))),
    zs[most_bytes] __attribute__((aligned(4096)));
int ats[most_indices], nexts[most_indices];

static unsigned long state = 88172645463325252UL;
static unsigned long random_number(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static long index_of(enum pattern pattern, long i, long count) {
  const unsigned long any = random_number();
  switch (pattern) {
    case anywhere:
      return (long)(any % (unsigned long)count);
    case upwards:
      return i % 5 == 4 && i >= 3 ? (i - 3) % count : i % count;
    case downwards:
      return count - 1 - i % count;
    case nearby:
      return (long)((((unsigned long)(i % count) & ~1023UL) + any % 1024) % (unsigned long)count);
    case few:
      return (long)(any % 50 * 37 % (unsigned long)count);
    case one:
      return count / 2;
  }
  return 0;
}

static void fill(char* memory, long bytes, const struct kernel* kernel, long first) {
  const int size = kernel->bytes_of_element % 8 == 0   ? 8
                   : kernel->bytes_of_element % 4 == 0 ? 4
                                                       : kernel->bytes_of_element;
  const long own = bytes < repeated_bytes ? bytes : repeated_bytes;
  for (long i = 0; i < own / size; i++) {
    const long value = (long)(((unsigned long)(i + first) * 2654435761UL >> 13) % 97 + 1);
    char* place = memory + i * size;
    if (kernel->is_floating && size == 8)
      *(double*)(void*)place = (double)value;
    else if (kernel->is_floating)
      *(float*)(void*)place = (float)value;
    else
      memcpy(place, &value, (size_t)size);
  }
  for (long i = own; i < bytes; i += own)
    memcpy(memory + i, memory, (size_t)(bytes - i < own ? bytes - i : own));
}

/// The indices depend on kernel and size, the rest is as it was in the beginning.
static void reset(const struct kernel* kernel, const struct part* part) {
  fill(xs, part->bytes, kernel, 0), fill(ys, part->bytes, kernel, 31), fill(zs, part->bytes, kernel, 62);
}
static void make_indices(const struct kernel* kernel, const struct part* part) {
  const long elements = part->bytes / kernel->bytes_of_element;
  const long count = elements < most_indices ? elements : most_indices;
  state = 88172645463325252UL;
  for (long i = 0; i < count; i++) ats[i] = (int)index_of(kernel->pattern, i, elements), nexts[i] = (int)i;
  for (long i = count - 1; i > 0; i--) {  // one way through all of them
    const long other = (long)(random_number() % (unsigned long)i);
    const int kept = nexts[i];
    nexts[i] = nexts[other], nexts[other] = kept;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

struct turns {
  void (*run)(void*);
  struct part part;
  int count;
  double microseconds;
};
static __kernel void take_turns(void* argument) {
  struct turns* turns = argument;
  const double begin = now();
  for (int turn = 0; turn < turns->count; turn++) turns->run(&turns->part);
  turns->microseconds = (now() - begin) / turns->count;
}
static double time_of(const struct kernel* kernel, const struct part* part, int count) {
  struct turns turns = {kernel->run, *part, count, 0};
  m_run(take_turns, &turns);
  return turns.microseconds;
}

static unsigned long sum_of(const void* memory, long bytes, unsigned long sum) {
  const unsigned long* words = memory;
  for (long i = 0; i < bytes / 8; i++) sum = (sum ^ words[i]) * 1099511628211UL;
  return sum;
}
static unsigned long bits_of(const struct kernel* kernel, const struct part* part) {
  reset(kernel, part);
  time_of(kernel, part, 1);
  time_of(kernel, part, 1);
  return sum_of(xs, part->bytes, sum_of(zs, part->bytes, 14695981039346656037UL));
}

static void measure(const struct kernel* const* kernels, const struct part* part, double* best) {
  const double alone = time_of(kernels[0], part, part->bytes < repeated_bytes ? 8 : 1) + 1e-3;
  const int count = alone < turn_microseconds ? (int)(turn_microseconds / alone) : 1;
  double all = 0;
  for (int version = 0; version < versions; version++) best[version] = 1e12;
  for (int repeat = 0; repeat < 3 || (repeat < most_repeats && all < enough_microseconds * versions);
       repeat++)
    for (int turn = 0; turn < versions; turn++) {
      const int version = (turn + repeat) % versions;
      const double time = time_of(kernels[version], part, count);
      if (time < best[version]) best[version] = time;
      all += time * count;
    }
}

static void compare(int k, long bytes) {
  const struct kernel* const kernels[versions] = {&plain_kernels[k], &changed_kernels[k], &again_kernels[k]};
  const struct part part = {bytes, xs, ys, zs, ats, nexts};
  make_indices(kernels[0], &part);
  const unsigned long bits = bits_of(kernels[0], &part);
  if (bits != bits_of(kernels[1], &part)) {
    printf("%s %ld differs\n", kernels[0]->name, bytes);
    exit(1);
  }
  double best[versions];
  measure(kernels, &part, best);
  printf("%s %ld %.4f %.4f %.4f\n", kernels[0]->name, bytes, best[0], best[1], best[2]);
  fflush(stdout);
}

int main(int count, char** words) {
  for (int k = 0; plain_kernels[k].name != NULL; k++)
    for (int word = 1; word < count; word++) {
      const long bytes = atol(words[word]) / 64 * 64;
      if (bytes < 64 || bytes > most_bytes) {
        fprintf(stderr, "sweep: usage: sweep BYTES..., up to %d\n", most_bytes);
        return 2;
      }
      compare(k, bytes);
    }
  return 0;
}
