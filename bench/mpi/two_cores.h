// SPDX-License-Identifier: Apache-2.0
// The first two cores that this process may use, and the time.
#pragma once

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>

/// Whether there are two.
static inline int find_two_cores(int cores[2]) {
  cpu_set_t usable;
  int found = 0;
  sched_getaffinity(0, sizeof usable, &usable);
  for (int core = 0; core < CPU_SETSIZE && found < 2; ++core) {
    if (CPU_ISSET(core, &usable)) cores[found++] = core;
  }
  return found == 2;
}

static inline void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static inline double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}
