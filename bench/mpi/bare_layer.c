// SPDX-License-Identifier: Apache-2.0
// What any layer needs that hands messages on to an MPI library without knowing which one is wanted next, as
// between node processes that share no memory: a header travels along, the receiver has posted receives from
// anybody, tests the oldest of them, copies from there, and posts them again while it waits or when many have
// been used up; a send may not wait. No matching, no requests, no order of calls, no threads. One source for
// every MPI library; two ranks. Prints lines like those of mpi_bench.c, by the same kind of clock.
//
//   bare_layer latency|bandwidth|allreduce... [--distance] [--min B] [--max B] [--seconds S]
#include "flag_of_ranks.h"

#include <stdio.h>
#include <string.h>

enum { header_bytes = 24, most_bytes = 2048, slots = 32, window = 64, batches = 9 };
static double batch_seconds = 0.02 / batches;
static struct flag_side distance;

static int rank, next_slot, deaf;  // deaf slots are not posted; the last ones before next_slot
static char buffers[slots][header_bytes + most_bytes], out[header_bytes + most_bytes], in[most_bytes];
static MPI_Request listening[slots];

static void listen_at(int slot) {
  MPI_Irecv(buffers[slot], sizeof buffers[slot], MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
            &listening[slot]);
}
static void listen_again(void) {
  for (; deaf != 0; --deaf) listen_at((next_slot + slots - deaf) % slots);
}

static void give(size_t bytes) {
  static char envelope[header_bytes + most_bytes];
  MPI_Request sent;
  int done;
  memcpy(envelope, out, header_bytes);
  memcpy(envelope + header_bytes, out + header_bytes, bytes);
  MPI_Isend(envelope, (int)(header_bytes + bytes), MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &sent);
  MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
  if (!done) MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void take(size_t bytes) {
  MPI_Status status;
  int done, got;
  for (MPI_Test(&listening[next_slot], &done, &status); !done;
       MPI_Test(&listening[next_slot], &done, &status))
    listen_again();
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (got != (int)(header_bytes + bytes)) MPI_Abort(MPI_COMM_WORLD, 1);
  memcpy(in, buffers[next_slot] + header_bytes, bytes);
  next_slot = (next_slot + 1) % slots;
  if (++deaf > slots / 2) listen_again();
}

static void latency(size_t bytes) {
  if (rank == 0) give(bytes);
  take(bytes);
  if (rank == 1) give(bytes);
}
static void bandwidth(size_t bytes) {
  for (int i = 0; i < window; ++i) {
    if (rank == 0) {
      give(bytes);
    } else {
      take(bytes);
    }
  }
  if (rank == 0) {
    take(0);
  } else {
    give(0);
  }
}
static void exchange(size_t bytes) {
  give(bytes);
  take(bytes);
}

static double time_of(void (*call)(size_t), size_t bytes, long repetitions) {
  exchange(0);
  const double start = MPI_Wtime();
  for (long i = 0; i < repetitions; ++i) call(bytes);
  double mine = MPI_Wtime() - start, other;
  memcpy(out + header_bytes, &mine, sizeof mine);
  exchange(sizeof mine);
  memcpy(&other, in, sizeof other);
  memset(out + header_bytes, 1, sizeof mine);
  return mine > other ? mine : other;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

static void measure(const char* test, void (*call)(size_t), size_t bytes, int per_call) {
  memset(in, 0, sizeof in);
  exchange(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    if (in[i] == 1) continue;
    fprintf(stderr, "bare_layer: wrong data: rank %d, byte %zu of %zu\n", rank, i, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  double line_before = 0, line_after = 0;
  if (distance.flag != NULL) line_before = line_ns(&distance, 3, 200);
  long repetitions = 1;
  for (double seconds = 0; seconds < batch_seconds && repetitions < 1 << 22;) {
    repetitions = repetitions * 4;
    seconds = time_of(call, bytes, repetitions);
  }
  double each[batches];
  for (int batch = 0; batch < batches; ++batch)
    each[batch] = time_of(call, bytes, repetitions) / (double)repetitions / per_call * 1e6;
  if (distance.flag != NULL) line_after = line_ns(&distance, 3, 200);
  qsort(each, batches, sizeof each[0], ascending);
  if (rank != 0) return;
  printf("{\"test\": \"%s\", \"bytes\": %zu, \"us\": %.4f", test, bytes, each[batches / 2]);
  if (distance.flag != NULL) printf(", \"line_ns\": [%.0f, %.0f]", line_before, line_after);
  puts("}");
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*call)(size_t);
    int per_call;  // as mpi_bench.c counts
    size_t least;
  } tests[] = {
      {"latency", latency, 2, 0}, {"bandwidth", bandwidth, window, 1}, {"allreduce", exchange, 1, 4}};
  int provided, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);  // as the link has it
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  size_t least = 0, most = most_bytes;
  int with_distance = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--distance") == 0) with_distance = 1;
    if (i + 1 == argc) break;
    if (strcmp(argv[i], "--min") == 0) least = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--max") == 0) most = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--seconds") == 0) batch_seconds = strtod(argv[i + 1], NULL) / batches;
  }
  if (most > most_bytes) most = most_bytes;
  memset(out, 1, sizeof out);
  if (with_distance) distance = flag_of_ranks(rank);
  for (int slot = 0; slot < slots; ++slot) listen_at(slot);
  for (size_t t = 0; t < sizeof tests / sizeof tests[0]; ++t) {
    int wanted = 0;
    for (int i = 1; i < argc; ++i) wanted |= strcmp(argv[i], tests[t].name) == 0;
    if (!wanted) continue;
    for (size_t bytes = tests[t].least; bytes <= most; bytes = bytes == 0 ? 1 : 2 * bytes)
      if (bytes >= least) measure(tests[t].name, tests[t].call, bytes, tests[t].per_call);
  }
  listen_again();
  for (int slot = 0; slot < slots; ++slot) {
    MPI_Cancel(&listening[slot]);
    MPI_Wait(&listening[slot], MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
