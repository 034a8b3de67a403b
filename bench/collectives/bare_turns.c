// SPDX-License-Identifier: Apache-2.0
// The least time of a barrier whose members share cores: the members of one core alone, without any library.
// They count up one word and give the core away until all have counted, so a barrier takes as many changes of
// places as there are members but one. A barrier of several cores cannot be shorter. Prints microseconds per
// barrier: the least of the batches.
//
//   bare_turns <members> <seconds>
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batch_barriers = 2000 };

static int members;
static double seconds, least = 1e9;
static atomic_long arrived;
static atomic_int is_over;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* take_turns(void* first) {
  const double begin = now();
  double before = begin;
  for (long barrier = 1; !atomic_load(&is_over); ++barrier) {
    atomic_fetch_add(&arrived, 1);
    while (atomic_load_explicit(&arrived, memory_order_acquire) < barrier * members && !atomic_load(&is_over))
      sched_yield();
    if (first == NULL || barrier % batch_barriers != 0) continue;
    const double time = now();
    if ((time - before) / batch_barriers < least) least = (time - before) / batch_barriers;
    before = time;
    if (time - begin > seconds) atomic_store(&is_over, 1);
  }
  return NULL;
}

int main(int count, char** words) {
  members = count == 3 ? atoi(words[1]) : 0;
  seconds = count == 3 ? atof(words[2]) : 0;
  if (members < 2 || seconds <= 0) {
    fprintf(stderr, "usage: bare_turns MEMBERS SECONDS (2 or more members)\n");
    return 2;
  }
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  if (sched_setaffinity(0, sizeof core, &core) != 0) {
    perror("bare_turns: sched_setaffinity");
    return 1;
  }
  pthread_t* const threads = calloc((size_t)members, sizeof *threads);
  if (threads == NULL) {
    perror("bare_turns: calloc");
    return 1;
  }
  for (int i = 1; i < members; ++i) {
    if (pthread_create(&threads[i], NULL, take_turns, NULL) != 0) {
      fprintf(stderr, "bare_turns: no thread %d\n", i);
      return 1;
    }
  }
  take_turns(&members);
  for (int i = 1; i < members; ++i) pthread_join(threads[i], NULL);
  free(threads);
  printf("%.3f\n", 1e6 * least);
  return 0;
}
