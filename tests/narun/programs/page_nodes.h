/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel itself says about nodes, for programs that check where their memory is. Define _GNU_SOURCE
 * before the first include. */
#pragma once

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { page = 4096 };

/* The node that the caller runs on. */
static inline int node_here(void) {
  unsigned cpu, node;
  return syscall(SYS_getcpu, &cpu, &node, NULL) == 0 ? (int)node : 0;
}

/* The node of the page that holds `place`; below 0 when the kernel does not say. */
static inline int node_of_page(const void* place) {
  void* address = (void*)place;
  int status = -1;
  return syscall(SYS_move_pages, 0, 1ul, &address, NULL, &status, 0) == 0 ? status : -1;
}

/* Counts the whole pages between two places of which the kernel says where they are, and those on the node.
 */
static inline void count_pages(const char* begin, const char* end, int node, long* local, long* known) {
  for (size_t place = ((size_t)begin + page - 1) / page * page; place + page <= (size_t)end; place += page) {
    const int found = node_of_page((const void*)place);
    *known += found >= 0;
    *local += found == node;
  }
}
