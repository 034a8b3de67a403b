// SPDX-License-Identifier: Apache-2.0
// Kernels for parcc --optimise-for-host. Compiled plain, changed and plain again, and the table of each is
// called TABLE. Their instructions begin SHIFT bytes later: where they lie changes times by some percent.
#include <parallelc.h>
#include <stddef.h>

#include "kernels.h"

#define TEXT(number) #number
#define SKIP(number) ".text\n.skip " TEXT(number)
__asm__(SKIP(SHIFT));

#define KERNEL(name) static __kernel void name(void* argument)
#define LENGTH const long length = ((const struct part*)argument)->length
#define ROWS const long rows = ((const struct part*)argument)->rows

KERNEL(look_up) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) sum += b[at[i]];
  sum_of_kernel = sum;
}
KERNEL(branches) {
  LENGTH;
  double sum = 0, other = 1;
  for (long i = 0; i < length; i++) {
    if ((long)b[at[i]] % 3 == 0)
      sum += b[at[i]];
    else
      other = other * 0.5 + sum;
  }
  sum_of_kernel = sum + other;
}
KERNEL(works) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) {
    double x = b[at[i]], y = 1;
    for (int k = 0; k < 16; k++) y = y * x * 1e-9 + (double)k;
    sum += y;
  }
  sum_of_kernel = sum;
}
KERNEL(counting) {
  LENGTH;
  for (long i = 0; i < length; i++) counts[at[i]]++;
}
// An index that is computed, as of a table of hashes.
KERNEL(hashes) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) {
    const unsigned long place = (unsigned long)at[i] * 0x9e3779b97f4a7c15UL >> 32;
    sum += b[(place * (unsigned long)length) >> 32] > 1000 ? 1 : 0.5;
  }
  sum_of_kernel = sum;
}
// What caches and the processor's own prefetchers see to.
KERNEL(in_order) {
  LENGTH;
  double sum = 0;
  for (long i = 0; i < length; i++) sum += b[at[i] % 64 + i - i % 64];
  sum_of_kernel = sum;
}
KERNEL(fill) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = (double)i;
}
KERNEL(scale) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = 2 * b[i];
}
KERNEL(add) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = a[i] + 3 * b[i];
}
KERNEL(two_rows) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = a[i] + b[i], counts[i] = (long)i;
}
KERNEL(in_place) {
  LENGTH;
  for (long i = 0; i < length; i++) c[i] = c[i] * 0.5 + b[i];
}
// Columns of a grid: each element follows from the one above.
static double (*const grid)[side] = (double (*)[side])a;
KERNEL(columns) {
  ROWS;
  for (long j = 0; j < rows; j++)
    for (long i = 1; i < rows; i++) grid[i][j] = 0.5 * (grid[i][j] + grid[i - 1][j]);
}
KERNEL(transpose) {
  ROWS;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) c[i * rows + j] = grid[j][i];
}
// Rows that begin in all sets of the caches.
KERNEL(transpose_odd) {
  ROWS;
  const long pitch = rows | 1;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) c[i * rows + j] = a[j * pitch + i];
}
KERNEL(column_sums) {
  ROWS;
  for (long j = 0; j < rows; j++) {
    double sum = 0;
    for (long i = 0; i < rows; i++) sum += grid[i][j];
    c[j] = sum;
  }
}

const struct kernel TABLE[] = {{"look_up", look_up},
                               {"branches", branches},
                               {"works", works},
                               {"counting", counting},
                               {"hashes", hashes},
                               {"in_order", in_order},
                               {"fill", fill},
                               {"scale", scale},
                               {"add", add},
                               {"two_rows", two_rows},
                               {"in_place", in_place},
                               {"columns", columns},
                               {"transpose", transpose},
                               {"transpose_odd", transpose_odd},
                               {"column_sums", column_sums},
                               {NULL, NULL}};
