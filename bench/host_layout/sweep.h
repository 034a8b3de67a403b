// SPDX-License-Identifier: Apache-2.0
// What the kernels that `sweep` makes, compiled plain and changed, and sweep.c, which calls them, have in
// common.
#pragma once

enum { most_bytes = 1 << 27, most_indices = 1 << 22 };

/// Where the indices of a kernel lead: anywhere, upwards with few steps back, downwards, near each other, to
/// few places, all to the same one.
enum pattern { anywhere, upwards, downwards, nearby, few, one };

/// Argument of a kernel.
struct part {
  long bytes;       ///< of each of the arrays
  void *x, *y, *z;  ///< what is written is z, and sometimes x
  int *at, *next;   ///< indices below the elements of an array; `next` leads through all of its places
};

struct kernel {
  const char* name;
  void (*run)(void* part);
  int bytes_of_element, is_floating;
  enum pattern pattern;
};

/// The last one has no name.
extern const struct kernel plain_kernels[], changed_kernels[], again_kernels[];
