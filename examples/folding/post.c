// SPDX-License-Identifier: Apache-2.0
// A message is one put, whose reply word tells the neighbour that it is there.
#include "post.h"

#include <parallelc.h>

#include "domain.h"

static int arrived[kinds][3];  // reply words
static int awaited[kinds][3];
static handle_t flight[kinds][3];

void settle(int kind, int axis) {
    m_wait_msg(flight[kind][axis]);
    flight[kind][axis] = M_NO_HANDLE;
}

void post(int kind, int axis, void *from, void *to, size_t bytes) {
    const int rank = goes_up(kind) ? domain.up[axis] : domain.down[axis];
    settle(kind, axis);
    flight[kind][axis] = m_msg_put(rank, from, to, (long)bytes, &arrived[kind][axis]);
}

// The sender knows where to and how much; the reply word is enough here.
void await(int kind, int axis, void *to, size_t bytes) {
    (void)to;
    (void)bytes;
    m_wait_reply(&arrived[kind][axis], ++awaited[kind][axis]);
}
