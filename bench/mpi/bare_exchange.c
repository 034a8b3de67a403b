// SPDX-License-Identifier: Apache-2.0
// What two cores need to exchange the data of an MPI call without any library: two threads, rings of cells,
// and a word in front of each message that says that it is there. No matching, no datatypes, no order of
// calls to keep, nobody who sleeps: faster than this is only who moves fewer cache lines. Prints lines like
// those of mpi_bench.c, by the same kind of clock: the median over batches of the mean of the slower thread,
// and the time of a cache line before and after.
//
//   bare_exchange <test>... [--min B] [--max B]
//
// - latency: a message there and one back, halved
// - bandwidth and the collectives in which data go one way (bcast, reduce, gather, scatter, scan): messages
//   one behind the other, the reader gives room back every quarter of the ring
// - the others: both write, then both read what the other wrote
//
// Tests of one pattern are measured together.
#include "line_distance.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cell_bytes = 16, ring_bytes = 1 << 17, most_bytes = 4096, batches = 9 };
enum { least_calls = 500, most_calls = 20000, batch_us = 2000 };

struct ring {
  _Alignas(128) _Atomic uint64_t given_back;
  _Alignas(128) char cells[ring_bytes];
};
/// One side of a ring; `word` is that of the next message.
struct side {
  size_t place;
  uint64_t word, seen;
};

static struct ring rings[2];
static _Alignas(128) atomic_int arrived;
static int cores[2];
static double times[2][batches];
static size_t message_bytes;
static atomic_int batch_calls;
static _Alignas(128) atomic_int flag;
static double lines[2];  // nanoseconds before and after
static void (*call)(int me, struct side* out, struct side* in, char* buffer);

/// Of a message with its word; it never wraps.
static size_t room_of(size_t bytes) {
  return (sizeof(uint64_t) + bytes + cell_bytes - 1) / cell_bytes * cell_bytes;
}
/// The place of the next message: at the beginning again where it would wrap, a multiple of the ring onward.
static void go_to_next(struct side* side, size_t room) {
  if (ring_bytes - side->place % ring_bytes < room) side->place += ring_bytes - side->place % ring_bytes;
}

static void put(struct ring* ring, struct side* side, const char* data, size_t bytes) {
  const size_t room = room_of(bytes);
  go_to_next(side, room);
  while (side->place + room - side->seen > ring_bytes - most_bytes)
    side->seen = atomic_load_explicit(&ring->given_back, memory_order_acquire);
  char* const place = ring->cells + side->place % ring_bytes;
  memcpy(place + sizeof(uint64_t), data, bytes);
  atomic_store_explicit((_Atomic uint64_t*)place, ++side->word, memory_order_release);
  side->place += room;
}

static void take(struct ring* ring, struct side* side, char* data, size_t bytes) {
  const size_t room = room_of(bytes);
  go_to_next(side, room);
  const char* const place = ring->cells + side->place % ring_bytes;
  ++side->word;
  while (atomic_load_explicit((_Atomic uint64_t*)place, memory_order_acquire) != side->word) {
  }
  memcpy(data, place + sizeof(uint64_t), bytes);
  side->place += room;
  if (side->place - side->seen < ring_bytes / 4) return;
  side->seen = side->place;
  atomic_store_explicit(&ring->given_back, side->place, memory_order_release);
}

static void there_and_back(int me, struct side* out, struct side* in, char* buffer) {
  if (me == 0) put(&rings[0], out, buffer, message_bytes);
  take(&rings[1 - me], in, buffer, message_bytes);
  if (me == 1) put(&rings[1], out, buffer, message_bytes);
}
static void one_way(int me, struct side* out, struct side* in, char* buffer) {
  if (me == 0) {
    put(&rings[0], out, buffer, message_bytes);
  } else {
    take(&rings[0], in, buffer, message_bytes);
  }
}
static void both_ways(int me, struct side* out, struct side* in, char* buffer) {
  put(&rings[me], out, buffer, message_bytes);
  take(&rings[1 - me], in, buffer, message_bytes);
}

static void meet(int* meetings) {
  *meetings += 2;
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < *meetings) {
  }
}

static void* run(void* number) {
  const int me = *(const int*)number;
  pin_to(cores[me]);
  struct side out = {0, (uint64_t)message_bytes << 32, 0}, in = out;
  struct flag_side mine = {&flag, me, 0};
  char buffer[most_bytes];
  memset(buffer, 1, sizeof buffer);
  int meetings = 0;
  const double before = line_ns(&mine, 3, 200);
  for (int batch = -1; batch < batches; ++batch) {  // the first is not counted
    meet(&meetings);
    const int calls = batch < 0 ? least_calls : atomic_load(&batch_calls);
    const double start = now_ns();
    for (int i = 0; i < calls; ++i) call(me, &out, &in, buffer);
    const double us = (now_ns() - start) / calls / 1e3;
    if (batch >= 0) {
      times[me][batch] = us;
    } else if (me == 1) {  // who takes
      const double wanted = us > 0 ? batch_us / us : most_calls;
      batch_calls = wanted < least_calls ? least_calls : wanted > most_calls ? most_calls : (int)wanted;
    }
  }
  const double after = line_ns(&mine, 3, 200);
  if (me == 0) lines[0] = before, lines[1] = after;
  for (size_t i = 0; i < message_bytes; ++i) {
    if (buffer[i] == 1) continue;
    fprintf(stderr, "bare_exchange: wrong data: byte %zu of %zu\n", i, message_bytes);
    exit(1);
  }
  return NULL;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

static double measure(size_t bytes) {
  static const int numbers[2] = {0, 1};
  memset(rings, 0, sizeof rings);
  atomic_store(&arrived, 0);
  atomic_store(&flag, 0);
  message_bytes = bytes;
  pthread_t threads[2];
  for (int k = 0; k < 2; ++k) {
    if (pthread_create(&threads[k], NULL, run, (void*)&numbers[k]) != 0) exit(1);
  }
  for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
  double slower[batches];
  for (int batch = 0; batch < batches; ++batch)
    slower[batch] = times[0][batch] > times[1][batch] ? times[0][batch] : times[1][batch];
  qsort(slower, batches, sizeof slower[0], ascending);
  return slower[batches / 2];
}

static const struct pattern {
  void (*call)(int me, struct side* out, struct side* in, char* buffer);
  const char* tests[10];
} patterns[] = {
    {there_and_back, {"latency"}},
    {one_way, {"bandwidth", "bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "scan"}},
    {both_ways,
     {"bidirectional", "barrier", "allreduce", "iallreduce", "reduce_scatter", "allgather", "allgatherv",
      "alltoall", "alltoallv"}}};

// As mpi_bench.c counts: each way; and a barrier has no data.
static void print(const char* test, size_t bytes, double us) {
  if (strcmp(test, "barrier") == 0 && bytes != 0) return;
  const int is_each_way = strcmp(test, "latency") == 0 || strcmp(test, "bidirectional") == 0;
  printf("{\"test\": \"%s\", \"bytes\": %zu, \"us\": %.4f, \"line_ns\": [%.0f, %.0f]}\n", test, bytes,
         is_each_way ? us / 2 : us, lines[0], lines[1]);
}

int main(int argc, char** argv) {
  size_t least = 0, most = most_bytes;
  int words = 1;  // up to the first option: tests
  while (words < argc && argv[words][0] != '-') ++words;
  for (int i = words; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--min") == 0) least = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--max") == 0) most = strtoull(argv[i + 1], NULL, 0);
  }
  if (!find_two_cores(cores)) return 0;  // nothing to say
  if (most > most_bytes) most = most_bytes;
  for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; ++p) {
    const char* found[10];
    int count = 0;
    for (int i = 1; i < words; ++i) {
      for (int k = 0; k < 10 && patterns[p].tests[k] != NULL; ++k) {
        if (strcmp(argv[i], patterns[p].tests[k]) == 0) found[count++] = argv[i];
      }
    }
    call = patterns[p].call;
    for (size_t bytes = 0; count > 0 && bytes <= most; bytes = bytes == 0 ? 1 : 2 * bytes) {
      if (bytes < least) continue;
      const double us = measure(bytes);
      for (int k = 0; k < count; ++k) print(found[k], bytes, us);
    }
  }
  return 0;
}
