// SPDX-License-Identifier: Apache-2.0
// Prints how many nanoseconds a cache line needs from the first to the second core that this process may use:
// the time of a flag's round trip between two threads, halved; the least of several tries. 0 with one core.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { tries = 7, round_trips = 2000 };

static _Alignas(128) atomic_int flag;
static int cores[2];

static void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void* answer(void* unused) {
  (void)unused;
  pin(cores[1]);
  for (int trip = 0; trip < tries * round_trips; ++trip) {
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2 * trip + 1) {
    }
    atomic_store_explicit(&flag, 2 * trip + 2, memory_order_release);
  }
  return NULL;
}

int main(void) {
  cpu_set_t usable;
  int found = 0;
  sched_getaffinity(0, sizeof usable, &usable);
  for (int core = 0; core < CPU_SETSIZE && found < 2; ++core) {
    if (CPU_ISSET(core, &usable)) cores[found++] = core;
  }
  if (found < 2) {
    puts("0");
    return 0;
  }
  pthread_t other;
  if (pthread_create(&other, NULL, answer, NULL) != 0) return 1;
  pin(cores[0]);
  double best = 1e9;
  for (int attempt = 0, trip = 0; attempt < tries; ++attempt) {
    const double start = now_ns();
    for (int end = trip + round_trips; trip < end; ++trip) {
      atomic_store_explicit(&flag, 2 * trip + 1, memory_order_release);
      while (atomic_load_explicit(&flag, memory_order_acquire) != 2 * trip + 2) {
      }
    }
    const double each = (now_ns() - start) / round_trips / 2;
    if (each < best) best = each;
  }
  pthread_join(other, NULL);
  printf("%.1f\n", best);
  return 0;
}
