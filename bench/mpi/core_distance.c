// SPDX-License-Identifier: Apache-2.0
// Prints how many nanoseconds a cache line needs from the first to the second core that this process may use:
// the time of a flag's round trip between two threads, halved; the least of several tries. 0 with one core.
#include "two_cores.h"

#include <stdatomic.h>
#include <stdio.h>

enum { tries = 7, round_trips = 2000 };

static _Alignas(128) atomic_int flag;
static int cores[2];

static void* answer(void* unused) {
  (void)unused;
  pin_to(cores[1]);
  for (int trip = 0; trip < tries * round_trips; ++trip) {
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2 * trip + 1) {
    }
    atomic_store_explicit(&flag, 2 * trip + 2, memory_order_release);
  }
  return NULL;
}

int main(void) {
  if (!find_two_cores(cores)) {
    puts("0");
    return 0;
  }
  pthread_t other;
  if (pthread_create(&other, NULL, answer, NULL) != 0) return 1;
  pin_to(cores[0]);
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
