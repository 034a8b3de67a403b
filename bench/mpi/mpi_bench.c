// SPDX-License-Identifier: Apache-2.0
// Times MPI calls: one source for every MPI library. Each size is first checked (the data that arrive are the
// data that were sent), then timed in batches; the line printed has the median over the batches of the
// slowest rank's mean, in microseconds. With --touch every rank writes what it sends and reads what it has
// received inside of the timed loop; without, buffers stay as they are, as in the OSU benchmarks. With
// --distance lines also have the time of a cache line between ranks 0 and 1, before and after; each must have
// a core of its own.
//
//   mpi_bench latency|bandwidth|bidirectional|put|get|fetch_and_op|<collective>... [--touch] [--distance]
//   [--min B] [--max B] [--seconds S of all batches of a size]
#include "flag_of_ranks.h"
#include "mpi_calls.h"

enum { most_batches = 9, least_batches = 3 };
static double size_seconds = 0.02;
static size_t room;  // of `out` and of `in`, in bytes

// --- the clock ---

struct test {
  const char* name;
  void (*run)(size_t bytes);
  void (*check)(size_t bytes);
  int per_run;         // what `run` does so often, to divide the time by
  size_t least, most;  // bytes per rank
  int is_collective;   // runs need as many messages as there are ranks
};
static const struct test tests[] = {
    {"latency", latency, check_exchange, 2, 0, most_bytes, 0},
    {"bandwidth", bandwidth, check_exchange, window, 1, most_bytes, 0},
    {"bidirectional", bidirectional, check_exchange, 2 * window, 1, most_bytes, 0},
    {"put", put, check_one_sided, 1, 8, most_bytes, 0},
    {"get", get, check_one_sided, 1, 8, most_bytes, 0},
    {"fetch_and_op", fetch_and_op, check_fetch_and_op, 1, 8, 8, 0},
    {"barrier", barrier, check_collectives, 1, 0, 0, 1},
    {"bcast", bcast, check_collectives, 1, 4, most_bytes, 1},
    {"reduce", reduce, check_collectives, 1, 4, most_bytes, 1},
    {"allreduce", allreduce, check_collectives, 1, 4, most_bytes, 1},
    {"iallreduce", iallreduce, check_collectives, 1, 4, most_bytes, 1},
    {"reduce_scatter", reduce_scatter, check_blocks, 1, 4, most_block_bytes, 1},
    {"scan", scan, check_collectives, 1, 4, most_bytes, 1},
    {"gather", gather, check_blocks, 1, 4, most_block_bytes, 1},
    {"scatter", scatter, check_blocks, 1, 4, most_block_bytes, 1},
    {"allgather", allgather, check_blocks, 1, 4, most_block_bytes, 1},
    {"alltoall", alltoall, check_blocks, 1, 4, most_block_bytes, 1},
    {"gatherv", gatherv, check_unequal_blocks, 1, 4, most_block_bytes, 1},
    {"scatterv", scatterv, check_unequal_blocks, 1, 4, most_block_bytes, 1},
    {"allgatherv", allgatherv, check_unequal_blocks, 1, 4, most_block_bytes, 1},
    {"alltoallv", alltoallv, check_unequal_blocks, 1, 4, most_block_bytes, 1},
};

static double time_of(const struct test* test, size_t bytes, long repetitions) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < repetitions; ++i) {
    if (touch && test->is_collective) produce(bytes);
    test->run(bytes);
    if (touch && test->is_collective) consume(bytes);
  }
  double mine = MPI_Wtime() - start, slowest;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static int ascending(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

// Two runs in a row must take long enough: one of them may have been interrupted.
static long repetitions_for(const struct test* test, size_t bytes, double* seconds) {
  const double wanted = size_seconds / most_batches;
  for (long repetitions = 1;;) {
    *seconds = time_of(test, bytes, repetitions);
    if (*seconds >= wanted) {
      const double again = time_of(test, bytes, repetitions);
      if (again < *seconds) *seconds = again;
    }
    if (*seconds >= wanted || repetitions >= 1 << 22) return repetitions;
    const double factor = *seconds > 0 ? wanted / *seconds * 1.2 : 16;
    repetitions = (long)((double)repetitions * (factor < 16 ? factor : 16)) + 1;
  }
}

static struct flag_side distance;

static void measure(const struct test* test, size_t bytes) {
  test->check(bytes);
  memset(out, 0x3f, room);  // as numbers 0.75: additions of others than normal ones may be slow
  double seconds, each[most_batches], line_before = 0, line_after = 0;
  if (distance.flag != NULL) line_before = line_ns(&distance, 3, 200);
  const long repetitions = repetitions_for(test, bytes, &seconds);
  int batches = most_batches;
  while (batches > least_batches && batches * seconds > 1.5 * size_seconds) batches -= 2;
  for (int batch = 0; batch < batches; ++batch)
    each[batch] = time_of(test, bytes, repetitions) / (double)repetitions / test->per_run * 1e6;
  if (distance.flag != NULL) line_after = line_ns(&distance, 3, 200);
  qsort(each, (size_t)batches, sizeof each[0], ascending);
  if (rank != 0) return;
  printf("{\"test\": \"%s\", \"bytes\": %zu, \"us\": %.4f", test->name, bytes, each[batches / 2]);
  if (distance.flag != NULL) printf(", \"line_ns\": [%.0f, %.0f]", line_before, line_after);
  puts("}");
  fflush(stdout);
}

static const struct test* find(const char* name) {
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    if (strcmp(tests[i].name, name) == 0) return &tests[i];
  }
  return NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t least = 0, most = most_bytes;
  int with_distance = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--touch") == 0) touch = 1;
    if (strcmp(argv[i], "--distance") == 0) with_distance = 1;
    if (strcmp(argv[i], "--min") == 0 && i + 1 < argc) least = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--max") == 0 && i + 1 < argc) most = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) size_seconds = strtod(argv[i + 1], NULL);
  }
  if (ranks < 2 || argc < 2 || find(argv[1]) == NULL) {
    if (rank == 0) fputs("usage: mpi_bench <test>... [options], at least two ranks\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t blocks = (size_t)ranks * most_block_bytes;
  room = blocks > most_bytes ? blocks : most_bytes;
  out = aligned_alloc(4096, room);
  in = aligned_alloc(4096, room);
  counts = malloc((size_t)ranks * sizeof *counts);
  displacements = malloc((size_t)ranks * sizeof *displacements);
  if (out == NULL || in == NULL || counts == NULL || displacements == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(out, 1, room);
  memset(in, 1, room);
  char* memory;
  MPI_Win_allocate((MPI_Aint)most_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &exposed);
  memset(memory, 1, most_bytes);
  MPI_Win_lock_all(0, exposed);
  if (with_distance) distance = flag_of_ranks(rank);
  for (int i = 1; i < argc; ++i) {
    const struct test* const test = find(argv[i]);
    if (test == NULL) continue;
    const size_t last = most < test->most ? most : test->most;
    for (size_t bytes = test->least; bytes <= last; bytes = bytes == 0 ? 1 : 2 * bytes) {
      if (bytes >= least) measure(test, bytes);
    }
  }
  MPI_Win_unlock_all(exposed);
  MPI_Win_free(&exposed);
  MPI_Finalize();
  return 0;
}
