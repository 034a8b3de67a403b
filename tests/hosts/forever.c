// SPDX-License-Identifier: Apache-2.0
// A job that goes on until it is ended: its ranks talk to each other all the time.
#include <parallelc.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  for (int turn = 0;; turn++) {
    m_barrier(CCC_ALL);
    if (turn == 0 && m_rank(CCC_ALL) == 0) {
      puts("running");
      fflush(stdout);
    }
    usleep(10000);
  }
}
