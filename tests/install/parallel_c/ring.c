// SPDX-License-Identifier: Apache-2.0
// Each rank puts its number into its right neighbour and checks what the left one put; the exit code tells.
#include <parallelc.h>
#include <stdio.h>

#include "number.h"

static int from_left = -1;
static int reply = 0;

int main(void) {
  int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
  int number = number_of(rank);
  m_msg_put_wait((rank + 1) % size, &number, &from_left, sizeof number, &reply);
  m_wait_reply(&reply, 1);
  if (from_left != number_of((rank + size - 1) % size)) {
    fprintf(stderr, "rank %d got %d\n", rank, from_left);
    return 1;
  }
  m_barrier(CCC_ALL);
  return 0;
}
