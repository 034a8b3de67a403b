// SPDX-License-Identifier: Apache-2.0
// Prints how many nanoseconds a cache line needs from the first to the second core that this process may use;
// 0 with one core.
#include "line_distance.h"

#include <stdio.h>

enum { tries = 7, round_trips = 2000 };

static _Alignas(128) atomic_int flag;
static int cores[2];

static void* answer(void* unused) {
  (void)unused;
  pin_to(cores[1]);
  struct flag_side mine = {&flag, 1, 0};
  line_ns(&mine, tries, round_trips);
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
  struct flag_side mine = {&flag, 0, 0};
  const double distance = line_ns(&mine, tries, round_trips);
  pthread_join(other, NULL);
  printf("%.1f\n", distance);
  return 0;
}
