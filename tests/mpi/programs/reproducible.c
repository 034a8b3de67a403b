// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers with the info key "taihu_reproducible": the same bits wherever the terms
// are, which shows in sums whose terms cancel. With the argument "world", to be run with
// TAIHU_REPRODUCIBLE=1, MPI_COMM_WORLD as well.
#include <math.h>

#include "check.h"

// More numbers than are summed at once: each the sum of three parts of the ranks, which cancel but for the
// middle one. In the order of ranks, and plainly, it would be lost.
static void many_numbers(MPI_Comm comm) {
  enum { numbers = 5001 };
  static double mine[numbers], sums[numbers];
  if (ranks < 3) return;
  for (int first = 0; first < 3; ++first) {
    for (int k = 0; k < numbers; ++k) {
      const double scale = ldexp(1, k % 90 - 45), parts[3] = {1e17 * scale, scale, -1e17 * scale};
      mine[k] = rank < 3 ? parts[(rank + first) % 3] : 0;
    }
    MPI_Allreduce(mine, sums, numbers, MPI_DOUBLE, MPI_SUM, comm);
    for (int k = 0; k < numbers; ++k) CHECK(sums[k] == ldexp(1, k % 90 - 45));
  }
}

static void one_number(MPI_Comm comm) {
  // Three terms whose plain sum depends on the order: (1e16 + 1) - 1e16 is 0 or 1 or 2.
  const double parts[3] = {1e16, 1, -1e16};
  double mine = 0, sum = -1, scan = -1, block = -1;
  if (ranks >= 3 && rank < 3) mine = parts[rank];
  if (ranks < 3) return;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  CHECK(sum == 1);
  // In the other order.
  mine = rank >= ranks - 3 ? parts[ranks - 1 - rank] : 0;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, comm);
  CHECK(mine == 1);
  mine = rank < 3 ? parts[rank] : 0;
  sum = -1;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, ranks - 1, comm);
  CHECK(sum == (rank == ranks - 1 ? 1 : -1));
  MPI_Scan(&mine, &scan, 1, MPI_DOUBLE, MPI_SUM, comm);
  if (rank >= 2) CHECK(scan == 1);
  MPI_Exscan(&mine, &scan, 1, MPI_DOUBLE, MPI_SUM, comm);
  if (rank >= 3) CHECK(scan == 1);
  double* all = calloc((size_t)ranks, sizeof *all);
  for (int k = 0; k < ranks; ++k) all[k] = mine;
  MPI_Reduce_scatter_block(all, &block, 1, MPI_DOUBLE, MPI_SUM, comm);
  CHECK(block == 1);
  int* counts = calloc((size_t)ranks, sizeof *counts);
  for (int k = 0; k < ranks; ++k) counts[k] = 1;
  MPI_Reduce_scatter(MPI_IN_PLACE, all, counts, MPI_DOUBLE, MPI_SUM, comm);
  CHECK(all[0] == 1);
  free(all);
  free(counts);
  float single[2] = {rank < 3 ? (float)parts[rank] : 0, (float)rank}, sums[2];
  MPI_Allreduce(single, sums, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, comm);
  CHECK(sums[0] == 1);
  CHECK(sums[1] == (float)(ranks * (ranks - 1) / 2));
}

// Numbers of both signs, from denormal to large ones.
static double term(int k) {
  unsigned long long state = (unsigned long long)k + 1;
  for (int turn = 0; turn < 4; ++turn) next_random(&state);
  const double value = ldexp((double)next_random(&state) + 1, k % 7 == 0 ? k % 20 - 1074 : k % 120 - 60);
  return k % 2 == 0 ? value : -value;
}

static unsigned long long hash_of(const void* data, size_t bytes) {
  unsigned long long hash = 14695981039346656037ULL;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ULL;
  return hash;
}

// Sums of three terms each, on any three of the ranks: their bits are those of the exact sums, rounded,
// whatever the number of ranks. (The hashes were computed with fractions of whole numbers.)
static void same_bits(MPI_Comm comm) {
  enum { numbers = 200 };
  if (ranks < 3) return;
  for (int shift = 0; shift < ranks; shift += ranks / 4 + 1) {
    double mine[numbers] = {0}, sums[numbers];
    float mine_single[numbers] = {0}, single_sums[numbers];
    for (int k = 0; k < 3 * numbers; ++k) {
      if ((k % 3 + shift) % ranks != rank) continue;
      mine[k / 3] = term(k);
      mine_single[k / 3] = (float)term(k);
    }
    MPI_Allreduce(mine, sums, numbers, shift % 2 == 0 ? MPI_DOUBLE : MPI_DOUBLE_PRECISION, MPI_SUM, comm);
    CHECK(hash_of(sums, sizeof sums) == 0xb50dd9bd794ca20fULL);
    MPI_Allreduce(mine_single, single_sums, numbers, shift % 2 == 0 ? MPI_FLOAT : MPI_REAL, MPI_SUM, comm);
    CHECK(hash_of(single_sums, sizeof single_sums) == 0x699d0bfe94dd1821ULL);
  }
}

static void not_finite(MPI_Comm comm) {
  double mine[4] = {rank, rank, rank, rank}, sums[4];
  if (rank == 0) mine[0] = INFINITY;
  if (rank == ranks - 1) mine[1] = -INFINITY;
  if (rank == 0) mine[2] = NAN;
  if (rank == 0) mine[3] = INFINITY;
  if (rank == ranks - 1 && ranks > 1) mine[3] = -INFINITY;
  MPI_Allreduce(mine, sums, 4, MPI_DOUBLE, MPI_SUM, comm);
  CHECK(sums[0] == INFINITY && sums[1] == -INFINITY && isnan(sums[2]));
  CHECK(ranks > 1 ? isnan(sums[3]) : sums[3] == INFINITY);
  float single = rank == 0 ? 3e38F : 2e38F, single_sum;
  MPI_Allreduce(&single, &single_sum, 1, MPI_FLOAT, MPI_SUM, comm);
  CHECK(ranks > 1 ? single_sum == INFINITY : single_sum == 3e38F);
}

static void others(MPI_Comm comm) {
  double mine = rank + 1, most = 0;
  int number = 1, sum = 0;
  long double wide = 1, wide_sum;
  MPI_Request request;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  CHECK(most == ranks);
  MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == ranks);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_PROD, comm) == MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(MPI_Allreduce(&wide, &wide_sum, 1, MPI_LONG_DOUBLE, MPI_SUM, comm) == MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(MPI_Iallreduce(&mine, &most, 1, MPI_DOUBLE, MPI_SUM, comm, &request) ==
        MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(MPI_Allreduce(&mine, &most, -1, MPI_DOUBLE, MPI_SUM, comm) == MPI_ERR_COUNT);
  CHECK(MPI_Allreduce(&mine, &most, 0, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Info info;
  MPI_Comm comm;
  MPI_Info_create(&info);
  MPI_Info_set(info, "taihu_reproducible", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  many_numbers(comm);
  one_number(comm);
  same_bits(comm);
  not_finite(comm);
  if (argc > 1 && strcmp(argv[1], "world") == 0) one_number(MPI_COMM_WORLD);
  others(comm);
  // A child inherits the key only with its info.
  MPI_Comm_free(&comm);
  return end("reproducible");
}
