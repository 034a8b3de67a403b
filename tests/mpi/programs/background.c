/* SPDX-License-Identifier: Apache-2.0
 * Collectives in the background, of lengths that take each of their forms: TAIHU_LONG_BCAST_BYTES and the
 * like are set to 4096, so that a few megabytes are long for each of many ranks. Each runs as a non-blocking
 * call beside another one, and as a persistent one, started twice. */
#include "check.h"

enum { longest_block = 5000 };

static int *in, *out, *counts, *places;
static long most;

static int value(int from, long at, int turn) {
  return (int)(from * 7919 + at * 3 + turn * 101);
}

static void fill(int* buffer, long count, int from, int turn) {
  for (long at = 0; at < count; ++at) buffer[at] = value(from, at, turn);
}

static void forget(void) {
  memset(in, 0xff, (size_t)most * sizeof *in);
}

static void check_block(const int* block, long count, int from, int turn) {
  for (long at = 0; at < count; ++at) CHECK(block[at] == value(from, at, turn));
}

static void check_sum(const int* block, long count, long first, int turn) {
  int sum = 0;
  for (int k = 0; k < ranks; ++k) sum += value(k, 0, turn);
  for (long at = 0; at < count; ++at) CHECK(block[at] == sum + ranks * 3 * (int)(first + at));
}

/* Another collective is under way as well, of a length that takes another form. */
static void wait_beside_another(MPI_Request* request) {
  int mine = rank, sum = 0;
  MPI_Request all[2] = {*request, MPI_REQUEST_NULL};
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[1]);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  CHECK(sum == ranks * (ranks - 1) / 2);
}

/* START makes `request` run, in turn 0 as a call of its own, in turns 1 and 2 as the persistent one. */
#define EACH_WAY(NONBLOCKING, PERSISTENT, PREPARE, EXPECT) \
  do {                                                     \
    MPI_Request request, kept;                             \
    PERSISTENT;                                            \
    for (int turn = 0; turn < 3; ++turn) {                 \
      forget();                                            \
      PREPARE;                                             \
      if (turn == 0) {                                     \
        NONBLOCKING;                                       \
        wait_beside_another(&request);                     \
      } else {                                             \
        MPI_Start(&kept);                                  \
        MPI_Wait(&kept, MPI_STATUS_IGNORE);                \
      }                                                    \
      EXPECT;                                              \
    }                                                      \
    MPI_Request_free(&kept);                               \
  } while (0)

static void bcast(long count, int root) {
  EACH_WAY(MPI_Ibcast(in, (int)count, MPI_INT, root, MPI_COMM_WORLD, &request),
           MPI_Bcast_init(in, (int)count, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
           if (rank == root) fill(in, count, root, turn), check_block(in, count, root, turn));
}

static void allgather(int count) {
  EACH_WAY(MPI_Iallgather(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD, &request),
           MPI_Allgather_init(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
           fill(out, count, rank, turn),
           for (int k = 0; k < ranks; ++k) check_block(in + (long)k * count, count, k, turn));
}

/* Unequal blocks in the opposite order, some of them empty. */
static void allgatherv(int mean) {
  int end = 0;
  for (int k = ranks - 1; k >= 0; --k) {
    counts[k] = k % 3 * mean;
    places[k] = end;
    end += counts[k];
  }
  EACH_WAY(MPI_Iallgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD, &request),
           MPI_Allgatherv_init(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD,
                               MPI_INFO_NULL, &kept),
           fill(out, counts[rank], rank, turn),
           for (int k = 0; k < ranks; ++k) check_block(in + places[k], counts[k], k, turn));
}

static void allreduce(long count) {
  EACH_WAY(MPI_Iallreduce(out, in, (int)count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
           MPI_Allreduce_init(out, in, (int)count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
           fill(out, count, rank, turn), check_sum(in, count, 0, turn));
}

static void reduce_scatter(int count) {
  EACH_WAY(
      MPI_Ireduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
      MPI_Reduce_scatter_block_init(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
      fill(out, (long)count * ranks, rank, turn), check_sum(in, count, (long)rank * count, turn));
}

/* Of unequal blocks; every third rank gets nothing. */
static void reduce_scatter_unequal(int mean) {
  long first = 0;
  for (int k = 0, end = 0; k < ranks; end += counts[k++]) {
    counts[k] = k % 3 * mean;
    if (k == rank) first = end;
  }
  EACH_WAY(MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
           MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &kept),
           fill(out, (long)mean * ranks, rank, turn), check_sum(in, counts[rank], first, turn));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const long long_for_each = ranks * 4200L; /* of a whole buffer, in ints: more than 16 KiB for each */
  most = (long)longest_block * ranks > long_for_each ? (long)longest_block * ranks : long_for_each;
  in = malloc((size_t)most * sizeof *in);
  out = malloc((size_t)most * sizeof *out);
  counts = malloc((size_t)ranks * sizeof *counts);
  places = malloc((size_t)ranks * sizeof *places);
  CHECK(in != NULL && out != NULL && counts != NULL && places != NULL);
  const long buffers[] = {1, 700, 3000, long_for_each};
  for (int k = 0; k < 4; ++k) {
    bcast(buffers[k], ranks / 2);
    allreduce(buffers[k]);
  }
  const int blocks[] = {1, 20, 100, 700, longest_block};
  for (int k = 0; k < 5; ++k) {
    allgather(blocks[k]);
    reduce_scatter(blocks[k]);
  }
  for (int k = 0; k < 4; ++k) {
    allgatherv(blocks[k]);
    reduce_scatter_unequal(blocks[k]);
  }
  free(in), free(out), free(counts), free(places);
  return end("background");
}
