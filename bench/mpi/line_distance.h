// SPDX-License-Identifier: Apache-2.0
// The time of a cache line between two cores: of a flag's round trip between two threads or processes,
// halved. Near cores of a virtual machine need 20 to 40 ns for it, far ones 160 to 190, and which it is
// changes within minutes; so it is measured beside every time that depends on it.
#pragma once

#include "two_cores.h"

#include <stdatomic.h>

/// One side of the flag, which both share and which is 0 at first.
struct flag_side {
  atomic_int* flag;
  int side;  ///< 0 or 1
  int trip;
};

/// Both sides call it with the same numbers. In nanoseconds; the least of several tries.
static inline double line_ns(struct flag_side* mine, int tries, int round_trips) {
  double best = 1e9;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const double start = now_ns();
    for (const int end = mine->trip + round_trips; mine->trip < end; ++mine->trip) {
      if (mine->side == 0) atomic_store_explicit(mine->flag, 2 * mine->trip + 1, memory_order_release);
      while (atomic_load_explicit(mine->flag, memory_order_acquire) != 2 * mine->trip + 2 - mine->side) {
      }
      if (mine->side == 1) atomic_store_explicit(mine->flag, 2 * mine->trip + 2, memory_order_release);
    }
    const double each = (now_ns() - start) / round_trips / 2;
    if (each < best) best = each;
  }
  return best;
}
