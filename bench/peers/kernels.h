// SPDX-License-Identifier: Apache-2.0
// What the kernels share: arguments, random numbers, the time of the slowest rank, the last line.
#ifndef BENCH_PEERS_KERNELS_H
#define BENCH_PEERS_KERNELS_H

#include <parallelc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Ends the job with exit code 2 after a line of rank 0; the others wait for that.
static inline void refuse(const char* format, ...) {
  if (m_rank(CCC_ALL) != 0)
    for (;;) pause();
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  m_abort(2);
}

// Whole number of at least `least`, the argument `index` of the program; `usage` names all arguments.
static inline long argument(int argc, char** argv, int index, long least, const char* usage) {
  char* end = NULL;
  const long value = index < argc ? strtol(argv[index], &end, 10) : 0;
  if (end == NULL) refuse("usage: %s", usage);
  if (end == argv[index] || *end != '\0' || value < least || value > 1L << 40)
    refuse("'%s' is not a number from %ld to %ld; usage: %s", argv[index], least, 1L << 40, usage);
  return value;
}

// `bytes` of memory for this rank; 64-byte aligned.
static inline void* memory(size_t bytes) {
  void* address = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (address == NULL) {
    fprintf(stderr, "rank %d has no memory for %zu bytes; use a smaller size\n", m_rank(CCC_ALL), bytes);
    m_abort(1);
  }
  return address;
}

// `bytes` of zeros on each rank, symmetric.
static inline void* symmetric_memory(size_t bytes) {
  void* address = m_malloc(bytes);
  if (address == NULL) {
    fprintf(stderr, "no symmetric memory for %zu bytes; use a smaller size\n", bytes);
    m_abort(1);
  }
  return address;
}

// First of `n` things of member `rank` of `size`, dealt in blocks as BLOCK does; of `size` itself, n.
static inline long first_of(long n, int rank, int size) {
  return n / size * rank + (rank < n % size ? rank : n % size);
}

// Who has thing `i` of `n`, dealt as above.
static inline int owner_of(long i, long n, int size) {
  const long share = n / size, larger = n % size;
  return (int)(i < larger * (share + 1) ? i / (share + 1) : larger + (i - larger * (share + 1)) / share);
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
static inline unsigned long random_number(unsigned long* state) {
  unsigned long z = *state += 0x9e3779b97f4a7c15UL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
  return z ^ z >> 31;
}

// Evenly from [0, n), as the high half of a product.
static inline long random_below(unsigned long* state, long n) {
  return (long)((unsigned __int128)random_number(state) * (unsigned long)n >> 64);
}

// Prints the time of the slowest rank, what that is per second, and whether every rank is right; the exit
// code.
static inline int report(const char* name, double seconds, double amount, const char* unit, int right) {
  double slowest;
  int all;
  m_allreduce(CCC_ALL, &seconds, &slowest, 1, M_DOUBLE, M_MAX);
  m_allreduce(CCC_ALL, &right, &all, 1, M_INT, M_MIN);
  if (m_rank(CCC_ALL) == 0)
    printf("%s: %.9f s, %.3f %s/s (%s)\n", name, slowest, slowest > 0 ? amount / slowest : 0, unit,
           all ? "correct" : "WRONG");
  return all ? 0 : 1;
}

#endif
