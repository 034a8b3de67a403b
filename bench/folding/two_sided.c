// SPDX-License-Identifier: Apache-2.0
// In place of examples/folding/post.c: the same messages by m_isend and m_recv.
#include <parallelc.h>

#include "domain.h"
#include "post.h"

static handle_t flight[kinds][3];

void settle(int kind, int axis) {
  m_wait(&flight[kind][axis], NULL);
}

void post(int kind, int axis, void* from, void* to, size_t bytes) {
  const int rank = goes_up(kind) ? domain.up[axis] : domain.down[axis];
  (void)to;
  settle(kind, axis);
  flight[kind][axis] = m_isend(rank, from, (long)bytes, 3 * kind + axis);
}

void await(int kind, int axis, void* to, size_t bytes) {
  const int rank = goes_up(kind) ? domain.down[axis] : domain.up[axis];
  m_recv(rank, to, (long)bytes, 3 * kind + axis, NULL);
}
