// SPDX-License-Identifier: Apache-2.0
// Puts of rank 0 to rank 1, `window` in flight, each to a place of its own, in MB/s; the best of many
// batches. "reply": each has a reply word; when rank 1 has seen all of a window it lets the next one come.
// "none": no reply word, rank 0 waits for its handles. Lines "mode bytes MB/s". Data are checked in each
// batch.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4 << 20, batches = 20, window = 32 };
static char source[most] __attribute__((aligned(4096)));
static char* target;
static int reply, open_for;

static void send(long bytes, int* word) {
  handle_t handles[window];
  for (int i = 0; i < window; i++) handles[i] = m_msg_put(1, source, target + i * bytes, bytes, word);
  for (int i = 0; i < window; i++) m_wait_msg(handles[i]);
}

static void check(const char* mode, long bytes, int batch) {
  for (int i = 0; i < window; i++)
    if (target[i * bytes] != (char)batch || target[i * bytes + bytes - 1] != (char)batch) {
      fprintf(stderr, "bandwidth: wrong data, %s, put %d of %ld bytes\n", mode, i, bytes);
      m_abort(1);
    }
}

static void measure(const char* mode, long bytes, int with_reply, double seconds) {
  const int rank = m_rank(CCC_ALL);
  double best = 0;
  int rounds = 2, seen = reply, opened = open_for;
  for (int batch = 1; batch <= batches; batch++) {
    source[0] = source[bytes - 1] = (char)batch;
    m_barrier(CCC_ALL);
    const double begin = m_wtime();
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) send(bytes, with_reply ? &reply : NULL);
      if (!with_reply) continue;
      if (rank == 1) m_wait_reply(&reply, seen += window), m_msg_put_wait(0, &opened, &opened, 0, &open_for);
      if (rank == 0) m_wait_reply(&open_for, ++opened);
    }
    double time = (m_wtime() - begin) / rounds;
    m_barrier(CCC_ALL);
    if (rank == 1) check(mode, bytes, batch);
    m_bcast(CCC_ALL, &time, 1, M_DOUBLE, 0);
    const double rate = window * bytes / time / 1e6;
    best = rate > best ? rate : best;
    rounds = (int)(seconds / batches / time) + 1;
    rounds = rounds > 20000 ? 20000 : rounds;
  }
  if (rank == 0) printf("%s %ld %.3f\n", mode, bytes, best);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  if (m_size(CCC_ALL) != 2) return fprintf(stderr, "bandwidth: start it with -n 2\n"), 2;
  target = m_malloc((size_t)window * most);
  if (!target) return fprintf(stderr, "bandwidth: no memory for %d puts of %d bytes\n", window, most), 1;
  for (long bytes = 4; bytes <= most; bytes *= bytes == 4 || bytes == 65536 ? 16 : 4) {
    measure("reply", bytes, 1, seconds);
    measure("none", bytes, 0, seconds);
  }
  m_free(target);
  return 0;
}
