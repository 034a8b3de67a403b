// SPDX-License-Identifier: Apache-2.0
// What two cores need to exchange the data of an MPI call without any library: two threads, and either rings
// of cells with a word in front of each message that says that it is there; or, from 1 KiB on, a word that
// says where the data are, which the other one then copies. Of one-sided transfers only the copy is left. No
// matching, no datatypes, no order of calls to
// keep, nobody who sleeps: faster than the better of these is only who moves fewer cache lines. Prints lines
// like those of mpi_bench.c, by the same kind of clock: the median over batches of the mean of the slower
// thread, and the time of a cache line before and after.
//
//   bare_exchange <test>... [--touch] [--kernel-copy] [--min B] [--max B]
//
// --touch: what is sent is written before and what has come is read after each call, as by mpi_bench.c.
// --kernel-copy: the one copy is the kernel's, as between node processes (process_vm_readv and
// process_vm_writev, here of the own process): by the reader alone, or one half by each of both; where it is
// forbidden, rings alone.
//
// - latency: a message there and one back, halved
// - bandwidth and the collectives in which data go one way (bcast, reduce, gather, scatter, scan): messages
//   one behind the other, the reader gives room back every quarter of the ring
// - put and get: a copy to or from the memory of the other one, who does nothing
// - the others: both write, then both read what the other wrote
//
// Tests of one pattern are measured together.
#define _GNU_SOURCE
#include "line_distance.h"
#include "read_whole.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { cell_bytes = 16, ring_bytes = 1 << 17, most_in_one_piece = 4096, batches = 9 };
enum { most_bytes = 8 << 20, least_bytes_in_place = 1 << 10 };
enum { least_calls = 500, most_calls = 20000, batch_us = 2000 };
/// Messages that nobody writes may be so many ahead of who copies them.
enum { most_ahead = 16 };

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
static void (*call)(int me, struct side* out, struct side* in);

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
  while (side->place + room - side->seen > ring_bytes - most_in_one_piece)
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

/// A thread's buffers, and what it says of them.
struct place {
  _Alignas(128) _Atomic uint64_t offered;
  _Alignas(128) _Atomic uint64_t written;  // the half that its owner copies
  _Alignas(128) _Atomic uint64_t taken;
  _Alignas(4096) char out[most_bytes];
  _Alignas(4096) char in[most_bytes];
};
static struct place places[2];
static int in_place, by_both, touch, kernel_copy;
static _Atomic uint64_t sink;

static void produce(int me) {
  if (touch) memset(places[me].out, 1, message_bytes);
}
static void consume(int me) {
  if (touch) atomic_store_explicit(&sink, read_whole(places[me].in, message_bytes), memory_order_relaxed);
}

static void await(_Atomic uint64_t* word, uint64_t value) {
  while (atomic_load_explicit(word, memory_order_acquire) < value) {
  }
}
static int copy_by_kernel(char* to, char* from, size_t bytes, int writes) {
  const struct iovec here = {writes ? from : to, bytes}, there = {writes ? to : from, bytes};
  return (writes ? process_vm_writev : process_vm_readv)(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}
static void copy(int from, size_t first, size_t bytes, int writes) {
  char* const source = places[from].out + first;
  char* const target = places[1 - from].in + first;
  if (!kernel_copy) {
    memcpy(target, source, bytes);
  } else if (!copy_by_kernel(target, source, bytes, writes)) {
    perror("bare_exchange: process_vm_readv");
    exit(1);
  }
}
static void offer(int me, struct side* out) {
  atomic_store_explicit(&places[me].offered, ++out->word, memory_order_release);
  if (!by_both) return;
  copy(me, message_bytes / 2, message_bytes - message_bytes / 2, 1);
  atomic_store_explicit(&places[me].written, out->word, memory_order_release);
}
static void copy_offered(int me, struct side* in) {
  await(&places[1 - me].offered, ++in->word);
  copy(1 - me, 0, by_both ? message_bytes / 2 : message_bytes, 0);
  if (by_both) await(&places[1 - me].written, in->word);
  atomic_store_explicit(&places[me].taken, in->word, memory_order_release);
}
/// Until the other one has copied what I have offered; what nobody writes, not at once.
static void await_copy(int me, const struct side* out) {
  const uint64_t ahead = touch ? 0 : most_ahead;
  if (out->word > ahead + (message_bytes << 32)) await(&places[1 - me].taken, out->word - ahead);
}

/// Pieces of a message, the longest of which are shorter than a ring.
static void send(int me, struct ring* ring, struct side* out, size_t from) {
  const size_t left = message_bytes - from;
  put(ring, out, places[me].out + from, left < most_in_one_piece ? left : most_in_one_piece);
}
static void receive(int me, struct ring* ring, struct side* in, size_t from) {
  const size_t left = message_bytes - from;
  take(ring, in, places[me].in + from, left < most_in_one_piece ? left : most_in_one_piece);
}
static void send_all(int me, struct ring* ring, struct side* out) {
  size_t from = 0;
  do send(me, ring, out, from);
  while ((from += most_in_one_piece) < message_bytes);
}
static void receive_all(int me, struct ring* ring, struct side* in) {
  size_t from = 0;
  do receive(me, ring, in, from);
  while ((from += most_in_one_piece) < message_bytes);
}

static void there_and_back(int me, struct side* out, struct side* in) {
  for (int way = 0; way < 2; ++way) {
    if (way == me) {
      produce(me);
      if (in_place)
        offer(me, out);
      else
        send_all(me, &rings[me], out);
    } else {
      if (in_place)
        copy_offered(me, in);
      else
        receive_all(me, &rings[1 - me], in);
      consume(me);
    }
  }
}
static void one_way(int me, struct side* out, struct side* in) {
  produce(me);
  if (me == 0 && in_place) {
    offer(0, out);
    await_copy(0, out);
  } else if (me == 0) {
    send_all(0, &rings[0], out);
  } else if (in_place) {
    copy_offered(1, in);
  } else {
    receive_all(1, &rings[0], in);
  }
  consume(me);
}
static void both_ways(int me, struct side* out, struct side* in) {
  produce(me);
  if (in_place) {
    offer(me, out);
    copy_offered(me, in);
    await_copy(me, out);
  } else {
    size_t from = 0;
    do {
      send(me, &rings[me], out, from);
      receive(me, &rings[1 - me], in, from);
    } while ((from += most_in_one_piece) < message_bytes);
  }
  consume(me);
}

static void copy_alone(char* to, const char* from) {
  memcpy(to, from, message_bytes);
  atomic_signal_fence(memory_order_seq_cst);
}
static void put_alone(int me, struct side* out, struct side* in) {
  (void)out, (void)in;
  if (me == 1) copy_alone(places[0].in, places[1].out);
}
static void get_alone(int me, struct side* out, struct side* in) {
  (void)out, (void)in;
  if (me == 1) copy_alone(places[1].in, places[0].out);
}

static void meet(int* meetings) {
  *meetings += 2;
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < *meetings) {
  }
}

static int first_calls(void) {
  return message_bytes <= most_in_one_piece ? least_calls
                                            : (int)(least_calls * most_in_one_piece / message_bytes) + 1;
}

static void* run(void* number) {
  const int me = *(const int*)number;
  pin_to(cores[me]);
  struct side out = {0, (uint64_t)message_bytes << 32, 0}, in = out;
  struct flag_side mine = {&flag, me, 0};
  memset(places[me].out, 1, message_bytes);
  int meetings = 0;
  const double before = line_ns(&mine, 3, 200);
  for (int batch = -1; batch < batches; ++batch) {  // the first is not counted
    meet(&meetings);
    const int calls = batch < 0 ? first_calls() : atomic_load(&batch_calls);
    const double start = now_ns();
    for (int i = 0; i < calls; ++i) call(me, &out, &in);
    const double us = (now_ns() - start) / calls / 1e3;
    if (batch >= 0) {
      times[me][batch] = us;
    } else if (me == 1) {  // who takes
      const double wanted = us > 0 ? batch_us / us : most_calls;
      batch_calls = wanted < first_calls() ? first_calls() : wanted > most_calls ? most_calls : (int)wanted;
    }
  }
  const double after = line_ns(&mine, 3, 200);
  if (me == 0) lines[0] = before, lines[1] = after;
  const int has_received = call == put_alone ? me == 0 : me == 1 || (call != one_way && call != get_alone);
  for (size_t i = 0; has_received && i < message_bytes; ++i) {
    if (places[me].in[i] == 1) continue;
    fprintf(stderr, "bare_exchange: wrong data: byte %zu of %zu\n", i, message_bytes);
    exit(1);
  }
  return NULL;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

enum way { by_ring, in_one_copy, in_halves };
static double measure(size_t bytes, enum way way) {
  static const int numbers[2] = {0, 1};
  memset(rings, 0, sizeof rings);
  memset(places, 0, sizeof places);
  in_place = way != by_ring;
  by_both = way == in_halves;
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
  void (*call)(int me, struct side* out, struct side* in);
  const char* tests[10];
} patterns[] = {
    {there_and_back, {"latency"}},
    {one_way, {"bandwidth", "bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "scan"}},
    {put_alone, {"put"}},
    {get_alone, {"get"}},
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
  for (int i = words; i < argc; ++i) {
    touch |= strcmp(argv[i], "--touch") == 0;
    kernel_copy |= strcmp(argv[i], "--kernel-copy") == 0;
  }
  if (!find_two_cores(cores)) return 0;  // nothing to say
  const int has_one_copy = !kernel_copy || copy_by_kernel(places[0].in, places[0].out, 1, 0);
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
      const int is_alone = call == put_alone || call == get_alone;
      double us = measure(bytes, by_ring);
      const int has_copy = has_one_copy && !is_alone && bytes >= least_bytes_in_place;
      for (enum way way = in_one_copy; has_copy && way <= (kernel_copy ? in_halves : in_one_copy); ++way) {
        const double without_ring = measure(bytes, way);
        if (without_ring < us) us = without_ring;
      }
      for (int k = 0; k < count; ++k) print(found[k], bytes, us);
    }
  }
  return 0;
}
