// SPDX-License-Identifier: Apache-2.0
// The ranks that taihu-tune measures with: KIND BYTES... prints for each size one line, seconds of one
// operation. Data are checked; a wrong byte ends the job.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taihu/abi/host_loops.h"
#if TAIHU_HAS_STORES_PAST_CACHES
#include <emmintrin.h>
#endif

enum { window = 32, batches = 5, look_ups = 1 << 16, ahead = 32 };
static const double batch_seconds = 4e-3;

struct buffers {
  char* out;
  char* in;
  size_t bytes;
};

static void fill(char* buffer, size_t bytes, int seed) {
  memset(buffer, seed & 127, bytes);
}

static void check(const char* buffer, size_t bytes, int seed) {
  if (bytes > 0 &&
      (buffer[0] != (seed & 127) || buffer[bytes - 1] != (seed & 127) || buffer[bytes / 2] != (seed & 127))) {
    fprintf(stderr, "taihu-tune: wrong data have come\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// One message there and back; a half is counted.
static void send(struct buffers data, int rank, int turn) {
  const int count = (int)data.bytes;
  fill(data.out, data.bytes, turn);
  if (rank == 0) MPI_Send(data.out, count, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  if (rank < 2) MPI_Recv(data.in, count, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(data.out, count, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  if (rank < 2) check(data.in, data.bytes, turn);
}

/// Many messages one way, and an answer.
static void stream(struct buffers data, int rank, int turn) {
  MPI_Request requests[window];
  const int count = (int)data.bytes;
  fill(data.out, data.bytes, turn);
  for (int k = 0; k < window && rank < 2; ++k) {
    if (rank == 0) MPI_Isend(data.out, count, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[k]);
    if (rank == 1) MPI_Irecv(data.in, count, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[k]);
  }
  if (rank < 2) MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  if (rank == 1) check(data.in, data.bytes, turn);
  if (rank == 1) MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void bcast(struct buffers data, int rank, int turn) {
  if (rank == 0) fill(data.in, data.bytes, turn);
  MPI_Bcast(data.in, (int)data.bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  check(data.in, data.bytes, turn);
}

/// `bytes` in all.
static void allgather(struct buffers data, int rank, int turn) {
  int ranks;
  (void)rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t block = data.bytes / (size_t)ranks;
  fill(data.out, block, turn);
  MPI_Allgather(data.out, (int)block, MPI_CHAR, data.in, (int)block, MPI_CHAR, MPI_COMM_WORLD);
  check(data.in, block * (size_t)ranks, turn);
}

static void allreduce(struct buffers data, int rank, int turn) {
  (void)rank;
  fill(data.out, data.bytes, turn);
  MPI_Allreduce(data.out, data.in, (int)(data.bytes / sizeof(long)), MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  check(data.in, data.bytes / sizeof(long) * sizeof(long), turn);
}

static size_t size_of_variable(const char* name, size_t otherwise) {
  const char* text = getenv(name);
  return text != NULL ? strtoul(text, NULL, 10) : otherwise;
}

/// Doubles all over `bytes`, of which each decides which way the loop goes, fetched ahead or not.
static void look_up(struct buffers data, int rank, int turn) {
  static size_t filled;  // memory that was never written has one page only
  if (filled != data.bytes) fill(data.out, data.bytes, rank);
  filled = data.bytes;
  const double* const table = (const double*)data.out;
  const size_t entries = data.bytes / sizeof(double);
  const size_t least = size_of_variable("TAIHU_LOOKED_UP_BYTES", TAIHU_LOOKED_UP_BYTES_DEFAULT);
  const size_t next = data.bytes >= least ? ahead : 0;
  double sum = 0;
#define PLACE(i) (((size_t)(i) + 1) * 0x9e3779b97f4a7c15UL % entries)
  for (size_t i = (size_t)turn; i < (size_t)turn + look_ups; ++i) {
    if (next != 0) __builtin_prefetch(&table[PLACE(i + next)]);
    sum = table[PLACE(i)] > sum * 1e-300 ? sum + 1 : sum * 0.5;
  }
#undef PLACE
  *(volatile double*)data.in = sum;
}

#if TAIHU_HAS_STORES_PAST_CACHES
/// All of `bytes`, past the caches or not.
static void store(struct buffers data, int rank, int turn) {
  double* const to = (double*)data.in;
  const size_t count = data.bytes / sizeof(double) & ~(size_t)1;
  const double value = (double)(rank + turn);
  if (data.bytes >= size_of_variable("TAIHU_STORED_BYTES", TAIHU_STORED_BYTES_DEFAULT)) {
    for (size_t i = 0; i < count; i += 2) _mm_stream_pd(&to[i], _mm_set1_pd(value + (double)i));
    _mm_sfence();
    return;
  }
  for (size_t i = 0; i < count; i += 2) to[i] = to[i + 1] = value + (double)i;
}
#endif

typedef void operation(struct buffers, int rank, int turn);

static operation* operation_named(const char* name) {
  static const struct {
    const char* name;
    operation* run;
  } all[] = {{"send", send},           {"stream", stream},       {"bcast", bcast},
             {"allgather", allgather}, {"allreduce", allreduce},
#if TAIHU_HAS_STORES_PAST_CACHES
             {"store", store},
#endif
             {"look_up", look_up}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k)
    if (strcmp(all[k].name, name) == 0) return all[k].run;
  return NULL;
}

/// Of `turns` operations, the slowest rank's.
static double seconds_of(operation* run, struct buffers data, int rank, int turns) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int turn = 0; turn < turns; ++turn) run(data, rank, turn);
  double mine = MPI_Wtime() - start;
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static double best_of_batches(operation* run, struct buffers data, int rank) {
  int turns = 4;
  while (seconds_of(run, data, rank, turns) < batch_seconds && turns < 1 << 20) turns *= 2;
  double best = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    const double seconds = seconds_of(run, data, rank, turns) / turns;
    if (seconds < best) best = seconds;
  }
  return best;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  operation* const run = argc > 2 ? operation_named(argv[1]) : NULL;
  if (run == NULL) {
    if (rank == 0)
      fprintf(stderr,
              "tune-ranks: usage: KIND BYTES..., a kind that this processor has; taihu-tune starts it\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  for (int k = 2; k < argc; ++k) {
    struct buffers data = {NULL, NULL, strtoul(argv[k], NULL, 10)};
    data.out = calloc(data.bytes + 1, 1);
    data.in = calloc(data.bytes + 1, 1);
    if (data.out == NULL || data.in == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    const double seconds = best_of_batches(run, data, rank);
    if (rank == 0) printf("%.9g\n", seconds);
    free(data.out);
    free(data.in);
  }
  return MPI_Finalize();
}
