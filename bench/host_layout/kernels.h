// SPDX-License-Identifier: Apache-2.0
// What kernels.c, compiled plain and changed, and compare.c, which calls both, have in common.
#pragma once

enum { side = 4096, many = side * side };

// Made by compare.c.
extern double a[many + side], b[many], c[many], sum_of_kernel;
extern long counts[many];
extern int at[many];

/// Argument of a kernel.
struct part {
  long length, rows;  ///< of all, and of a square in the grid
};

struct kernel {
  const char* name;
  void (*run)(void* part);
};

/// The last one has no name.
extern const struct kernel plain_kernels[], changed_kernels[], again_kernels[];
