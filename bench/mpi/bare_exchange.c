// SPDX-License-Identifier: Apache-2.0
// What two cores need to exchange the data of an MPI call without any library: two threads, rings of cells,
// and a word in front of each message that says that it is there. No matching, no datatypes, no order of
// calls to keep, nobody who sleeps: faster than this is only who moves fewer cache lines. Prints lines like
// those of mpi_bench.c, by the same kind of clock: the median over batches of the mean of the slower thread.
//
//   bare_exchange <test> [--min B] [--max B]
//
// - latency: a message there and one back, halved
// - bandwidth and the collectives in which data go one way (bcast, reduce, gather, scatter, scan): messages
// one
//   behind the other, the reader gives room back every quarter of the ring
// - the others: both write, then both read what the other wrote
#include "two_cores.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cell_bytes = 16, ring_bytes = 1 << 17, most_bytes = 4096, batches = 9, batch_calls = 20000 };

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
  char buffer[most_bytes];
  memset(buffer, 1, sizeof buffer);
  int meetings = 0;
  for (int batch = -1; batch < batches; ++batch) {  // the first is not counted
    meet(&meetings);
    const double start = now_ns();
    for (int i = 0; i < batch_calls; ++i) call(me, &out, &in, buffer);
    if (batch >= 0) times[me][batch] = (now_ns() - start) / batch_calls / 1e3;
  }
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

static void measure(const char* test, size_t bytes, int per_call) {
  static const int numbers[2] = {0, 1};
  memset(rings, 0, sizeof rings);
  atomic_store(&arrived, 0);
  message_bytes = bytes;
  pthread_t threads[2];
  for (int k = 0; k < 2; ++k) {
    if (pthread_create(&threads[k], NULL, run, (void*)&numbers[k]) != 0) exit(1);
  }
  for (int k = 0; k < 2; ++k) pthread_join(threads[k], NULL);
  double slower[batches];
  for (int batch = 0; batch < batches; ++batch)
    slower[batch] = (times[0][batch] > times[1][batch] ? times[0][batch] : times[1][batch]) / per_call;
  qsort(slower, batches, sizeof slower[0], ascending);
  printf("{\"test\": \"%s\", \"bytes\": %zu, \"us\": %.4f}\n", test, bytes, slower[batches / 2]);
}

static int is_among(const char* test, const char* const* names) {
  for (; *names != NULL; ++names) {
    if (strcmp(test, *names) == 0) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  static const char* const one_way_tests[] = {"bandwidth", "bcast",    "reduce", "gather", "gatherv",
                                              "scatter",   "scatterv", "scan",   NULL};
  static const char* const both_ways_tests[] = {"bidirectional",  "barrier",   "allreduce",  "iallreduce",
                                                "reduce_scatter", "allgather", "allgatherv", "alltoall",
                                                "alltoallv",      NULL};
  size_t least = 0, most = most_bytes;
  for (int i = 2; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--min") == 0) least = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--max") == 0) most = strtoull(argv[i + 1], NULL, 0);
  }
  const char* const test = argc > 1 ? argv[1] : "";
  const int is_latency = strcmp(test, "latency") == 0;
  call = is_latency                        ? there_and_back
         : is_among(test, one_way_tests)   ? one_way
         : is_among(test, both_ways_tests) ? both_ways
                                           : NULL;
  if (call == NULL || !find_two_cores(cores)) return 0;  // nothing to say
  // As mpi_bench.c counts: each way.
  const int per_call = is_latency || strcmp(test, "bidirectional") == 0 ? 2 : 1;
  if (most > most_bytes) most = most_bytes;
  if (strcmp(test, "barrier") == 0) most = 0;
  for (size_t bytes = 0; bytes <= most; bytes = bytes == 0 ? 1 : 2 * bytes) {
    if (bytes >= least) measure(test, bytes, per_call);
  }
  return 0;
}
