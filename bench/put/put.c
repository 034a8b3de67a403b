// SPDX-License-Identifier: Apache-2.0
// A put whose target is told, there and back between two ranks: half of that in microseconds, the least of
// many batches. Also one memcpy of as many bytes, in batches of the same length. "Off by 8": the destination
// is 8 bytes off the alignment of the source. Lines "mode bytes microseconds". Data are checked in each
// batch.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4 << 20, batches = 20 };
static char source[most + 64] __attribute__((aligned(4096))),
    target[most + 64] __attribute__((aligned(4096)));
static int reply, turn;

static void measure(const char* mode, long bytes, int off, double seconds) {
  const int rank = m_rank(CCC_ALL), other = 1 - rank;
  double least = 1e9, copy = 1e9;
  int rounds = 4;
  for (int batch = 0; batch < batches; batch++) {
    source[0] = (char)(batch + rank), source[bytes - 1] = (char)(2 * batch + rank);
    m_barrier(CCC_ALL);
    const double begin = m_wtime();
    for (int i = 0; i < rounds; i++) {
      if (rank == 1) m_wait_reply(&reply, ++turn);
      m_msg_put_wait(other, source, target + off, bytes, &reply);
      if (rank == 0) m_wait_reply(&reply, ++turn);
    }
    double time = (m_wtime() - begin) / rounds / 2;
    if (target[off + bytes - 1] != (char)(2 * batch + other) ||
        (bytes > 1 && target[off] != (char)(batch + other))) {
      fprintf(stderr, "put: wrong data, %s %ld\n", mode, bytes);
      m_abort(1);
    }
    m_bcast(CCC_ALL, &time, 1, M_DOUBLE, 0);
    least = time < least ? time : least;
    rounds = (int)(seconds / batches / (2 * time)) + 2;
    rounds = rounds > 20000 ? 20000 : rounds;
    if (rank == 0) {
      const double start = m_wtime();
      for (int i = 0; i < rounds; i++) {
        memcpy(target + off, source, bytes);
        __asm__ volatile("" ::"r"(target), "r"(source) : "memory");
      }
      const double one = (m_wtime() - start) / rounds;
      copy = one < copy ? one : copy;
    }
  }
  if (rank == 0)
    printf("%s %ld %.3f\nmemcpy%s %ld %.3f\n", mode, bytes, least * 1e6, off ? "-off" : "", bytes,
           copy * 1e6);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  if (m_size(CCC_ALL) != 2) return fprintf(stderr, "put: start it with -n 2\n"), 2;
  for (long bytes = 4; bytes <= most; bytes *= 4) measure("put", bytes, 0, seconds);
  measure("put-off", 65536, 8, seconds);
  return 0;
}
