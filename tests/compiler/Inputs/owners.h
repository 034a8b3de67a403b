// SPDX-License-Identifier: Apache-2.0
// Records who executes which iteration. `owner[i]` is 100 * process + thread (0 in process code), `times[i]` how often.
#include <parallelc.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"

static int owner[128];
static int times[128];

static void forget(void) {
  memset(owner, 0, sizeof owner);
  memset(times, 0, sizeof times);
}

static void take(int i) {
  owner[i] = 100 * test_process() + (test_thread() < 0 ? 0 : test_thread());
  __atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);
}

/// One line per process: name, process, then every iteration executed here as iteration:thread (or x for process code).
static void show(const char *name, int n) {
  printf("%s %d:", name, test_process());
  for (int i = 0; i < n; i++) {
    if (times[i] == 1) printf(" %d:%d", i, owner[i] % 100);
    if (times[i] > 1) printf(" %d TWICE", i);
  }
  printf("\n");
  forget();
}
