/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls a function of a library, directly and through a pointer, with more arguments than registers hold. */
#include <stdio.h>

struct pair {
  double sum;
  long count;
};
struct pair set_up(long a, double b, long c, double d, long e, double f, long g, double h, long i, double j,
                   long k, double l, long m, double n, long o, double p, long q, double r, long s, double t,
                   long u, double v);

int main(void) {
  struct pair (*volatile pointer)(long, double, long, double, long, double, long, double, long, double, long,
                                  double, long, double, long, double, long, double, long, double, long,
                                  double) = set_up;
  const struct pair once =
      set_up(1, .5, 2, .5, 3, .5, 4, .5, 5, .5, 6, .5, 7, .5, 8, .5, 9, .5, 10, .5, 11, .5);
  const struct pair again = pointer(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11);
  const int right = once.sum == 5.5 && once.count == 66 && again.sum == 66 && again.count == 66;
  puts(right ? "calls_library: passed" : "calls_library: wrong results");
  return !right;
}
