/* SPDX-License-Identifier: Apache-2.0
 *
 * A library whose function allocates, takes many arguments of several kinds and returns two values at once:
 * what a hook must pass through unharmed. */
#include <stdlib.h>

struct pair {
  double sum;
  long count;
};

double* library_data;

struct pair set_up(long a, double b, long c, double d, long e, double f, long g, double h, long i, double j,
                   long k, double l, long m, double n, long o, double p, long q, double r, long s, double t,
                   long u, double v) {
  if (!library_data) library_data = malloc((size_t)3 << 20);
  for (size_t n_values = 0; n_values < ((size_t)3 << 20) / sizeof(double); n_values++)
    library_data[n_values] = b;
  const struct pair result = {b + d + f + h + j + l + n + p + r + t + v,
                              a + c + e + g + i + k + m + o + q + s + u};
  return result;
}
