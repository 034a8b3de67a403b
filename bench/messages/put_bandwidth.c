// SPDX-License-Identifier: Apache-2.0
// Long puts compared with one memcpy of as many bytes, in turns, the best of many, in microseconds: the put
// of a rank to itself, which is the copy alone, and the time until another rank knows, which is half of a
// ping-pong with reply words and has the way of a cache line between two cores in it. Results are checked.
#include <parallelc.h>
#include <stdio.h>
#include <string.h>

enum { most = 4 << 20, batches = 40 };
static char here[most] __attribute__((aligned(4096))), there[most] __attribute__((aligned(4096)));
static char source[most] __attribute__((aligned(4096)));
static int reply, turn;

static void least(double* best, double seconds) {
  if (seconds < *best) *best = seconds;
}

int main(void) {
  const int rank = m_rank(CCC_ALL), other = 1 - rank;
  if (m_size(CCC_ALL) != 2) return fprintf(stderr, "put_bandwidth: start it with -n 2\n"), 2;
  memset(here, 1, most), memset(there, 2, most), memset(source, 3 + rank, most);
  if (rank == 0) printf("%10s %10s %14s %14s\n", "bytes", "memcpy", "put to itself", "put and reply");
  for (long bytes = 65536; bytes <= most; bytes *= 4) {
    double copy = 1e9, own = 1e9, put = 1e9;
    for (int batch = 0; batch < batches; batch++) {
      for (int i = 0; rank == 0 && i < 10; i++) {
        double begin = m_wtime();
        memcpy(here, source, bytes);
        __asm__ volatile("" ::"r"(here), "r"(source) : "memory");
        least(&copy, m_wtime() - begin);
        begin = m_wtime();
        m_msg_put_wait(0, source, here, bytes, NULL);
        least(&own, m_wtime() - begin);
      }
      m_barrier(CCC_ALL);
      for (int i = 0; i < 4; i++) {
        const double begin = m_wtime();
        if (rank == 1) m_wait_reply(&reply, ++turn);
        m_msg_put_wait(other, source, there, bytes, &reply);
        if (rank == 0) m_wait_reply(&reply, ++turn);
        least(&put, (m_wtime() - begin) / 2);
      }
      for (long b = 0; b < bytes; b += 4096)
        if (there[b] != 3 + other) return fprintf(stderr, "put_bandwidth: wrong data at %ld\n", b), 1;
      m_barrier(CCC_ALL);
    }
    if (rank == 0)
      printf("%10ld %10.2f %8.2f %.2fx %8.2f %.2fx\n", bytes, copy * 1e6, own * 1e6, own / copy, put * 1e6,
             put / copy);
  }
  return 0;
}
