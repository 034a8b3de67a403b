// SPDX-License-Identifier: Apache-2.0
// Puts of rank 0 to rank 1, `window` in flight, each to a place of its own, in MB/s; the best of many
// batches. "reply": each has a reply word; when rank 1 has seen all of a window it lets the next one come.
// "none": no reply word, rank 0 waits for its handles. With "calls" as second argument: other calls, to
// memory of m_malloc and to a variable ("variable-..."), up to 64 KB. Lines "mode bytes MB/s". Data are
// checked in each batch.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4 << 20, most_of_calls = 65536, batches = 20, window = 32, strided_blocks = 4 };
static char source[most] __attribute__((aligned(4096)));
static char variable[2 * window * most_of_calls] __attribute__((aligned(4096)));
static char* heap;
static int reply, open_for;
static m_aggregator_t aggregator;

enum call { put_reply, put_none, put_stride, aggregated_put, get };
struct mode {
  const char* name;
  enum call call;
  char* target;
};

// Blocks with gaps as long as they are take twice the room.
static char* place(const struct mode* mode, int i, long bytes) {
  return mode->target + i * bytes * (mode->call == put_stride ? 2 : 1);
}
static long last_byte(const struct mode* mode, long bytes) {
  return mode->call == put_stride ? 2 * bytes - bytes / strided_blocks - 1 : bytes - 1;
}

static handle_t begin(const struct mode* mode, int i, long bytes) {
  char* to = place(mode, i, bytes);
  const long block = bytes / strided_blocks;
  switch (mode->call) {
    case put_reply:
      return m_msg_put(1, source, to, bytes, &reply);
    case put_none:
      return m_msg_put(1, source, to, bytes, NULL);
    case put_stride:
      return m_msg_put_stride(1, source, to, bytes, block, block, 2 * block, &reply);
    case aggregated_put:
      return m_aggregator_put(aggregator, 1, source, to, bytes), M_NO_HANDLE;
    default:
      return m_msg_get(1, to, to, bytes);
  }
}

static void send(const struct mode* mode, long bytes) {
  handle_t handles[window];
  for (int i = 0; i < window; i++) handles[i] = begin(mode, i, bytes);
  for (int i = 0; i < window; i++) m_wait_msg(handles[i]);
  if (mode->call == aggregated_put) m_aggregator_flush(aggregator);
}

static void check(const struct mode* mode, long bytes, int batch) {
  for (int i = 0; i < window; i++) {
    const char* target = place(mode, i, bytes);
    if (target[0] == (char)batch && target[last_byte(mode, bytes)] == (char)batch) continue;
    fprintf(stderr, "bandwidth: wrong data, %s, put %d of %ld bytes\n", mode->name, i, bytes);
    m_abort(1);
  }
}

// What rank 1 has for gets.
static void offer(const struct mode* mode, long bytes, int batch) {
  for (int i = 0; i < window; i++) place(mode, i, bytes)[0] = place(mode, i, bytes)[bytes - 1] = (char)batch;
}

static void measure(const struct mode* mode, long bytes, double seconds) {
  const int rank = m_rank(CCC_ALL), gets = mode->call == get;
  const int with_reply = mode->call == put_reply || mode->call == put_stride;
  double best = 0;
  int rounds = 2, seen = reply, opened = open_for;
  for (int batch = 1; batch <= batches; batch++) {
    source[0] = source[bytes - 1] = (char)batch;
    if (rank == 1 && gets) offer(mode, bytes, batch);
    m_barrier(CCC_ALL);
    const double begin = m_wtime();
    for (int i = 0; i < rounds; i++) {
      if (rank == 0) send(mode, bytes);
      if (!with_reply) continue;
      if (rank == 1) m_wait_reply(&reply, seen += window), m_msg_put_wait(0, &opened, &opened, 0, &open_for);
      if (rank == 0) m_wait_reply(&open_for, ++opened);
    }
    double time = (m_wtime() - begin) / rounds;
    m_barrier(CCC_ALL);
    if (rank == !gets) check(mode, bytes, batch);
    m_bcast(CCC_ALL, &time, 1, M_DOUBLE, 0);
    const double rate = window * bytes / time / 1e6;
    best = rate > best ? rate : best;
    rounds = (int)(seconds / batches / time) + 1;
    rounds = rounds > 20000 ? 20000 : rounds;
  }
  if (rank == 0) printf("%s %ld %.3f\n", mode->name, bytes, best);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  const int calls = argc > 2 && strcmp(argv[2], "calls") == 0;
  if (m_size(CCC_ALL) != 2) return fprintf(stderr, "bandwidth: start it with -n 2\n"), 2;
  heap = m_malloc((size_t)window * most);
  if (!heap) return fprintf(stderr, "bandwidth: no memory for %d puts of %d bytes\n", window, most), 1;
  aggregator = m_aggregator_open(0);
  const struct mode puts[] = {{"reply", put_reply, heap}, {"none", put_none, heap}};
  const struct mode others[] = {{"put", put_reply, heap},
                                {"variable-put", put_reply, variable},
                                {"stride", put_stride, heap},
                                {"variable-stride", put_stride, variable},
                                {"aggregated", aggregated_put, heap},
                                {"variable-aggregated", aggregated_put, variable},
                                {"get", get, heap},
                                {"variable-get", get, variable}};
  const int modes = calls ? sizeof others / sizeof *others : sizeof puts / sizeof *puts;
  for (long bytes = 4; bytes <= (calls ? most_of_calls : most);
       bytes *= bytes == 4 || bytes == 65536 ? 16 : 4)
    for (int i = 0; i < modes; i++) measure(calls ? &others[i] : &puts[i], bytes, seconds);
  m_aggregator_close(aggregator);
  m_free(heap);
  return 0;
}
