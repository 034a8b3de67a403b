// SPDX-License-Identifier: Apache-2.0
// Collectives, blocking and not, on the whole job, on parts of it and between two parts.
#include "check.h"

static void on(MPI_Comm comm, int count) {
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  long *mine = malloc(sizeof *mine * (size_t)(count * size + 1)),
       *all = malloc(sizeof *all * (size_t)(count * size + 1));
  for (int root = 0; root < size; root += size > 3 ? 3 : 1) {
    for (int i = 0; i < count; ++i) mine[i] = me == root ? 7 * i + root : -1;
    MPI_Bcast(mine, count, MPI_LONG, root, comm);
    for (int i = 0; i < count; ++i) CHECK(mine[i] == 7 * i + root);
    for (int i = 0; i < count; ++i) mine[i] = me * 100 + i;
    MPI_Gather(mine, count, MPI_LONG, all, count, MPI_LONG, root, comm);
    for (int from = 0; me == root && from < size; ++from) {
      for (int i = 0; i < count; ++i) CHECK(all[from * count + i] == from * 100 + i);
    }
    MPI_Reduce(mine, all, count, MPI_LONG, MPI_MAX, root, comm);
    for (int i = 0; me == root && i < count; ++i) CHECK(all[i] == (size - 1) * 100 + i);
  }
  MPI_Request requests[3];
  long *more = malloc(sizeof *more * (size_t)(count * size + 1)),
       *sum = malloc(sizeof *sum * (size_t)(count + 1));
  MPI_Iallgather(mine, count, MPI_LONG, all, count, MPI_LONG, comm, &requests[0]);
  MPI_Iallreduce(mine, sum, count, MPI_LONG, MPI_SUM, comm, &requests[1]);
  MPI_Ibarrier(comm, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  for (int from = 0; from < size; ++from) {
    for (int i = 0; i < count; ++i) CHECK(all[from * count + i] == from * 100 + i);
  }
  for (int i = 0; i < count; ++i) CHECK(sum[i] == (long)size * (size - 1) / 2 * 100 + (long)size * i);
  for (int to = 0; to < size; ++to) {
    for (int i = 0; i < count; ++i) all[to * count + i] = me * 10000 + to * 100 + i % 100;
  }
  MPI_Alltoall(all, count, MPI_LONG, more, count, MPI_LONG, comm);
  for (int from = 0; from < size; ++from) {
    for (int i = 0; i < count; ++i) CHECK(more[from * count + i] == from * 10000 + me * 100 + i % 100);
  }
  MPI_Scan(MPI_IN_PLACE, mine, count, MPI_LONG, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) CHECK(mine[i] == (long)me * (me + 1) / 2 * 100 + (long)(me + 1) * i);
  free(sum);
  free(more);
  free(all);
  free(mine);
}

/* Product of 2x2 matrices: associative, not commutative. */
static void multiply(void* in, void* inout, count_type* length, MPI_Datatype* type) {
  (void)type;
  long *left = in, *right = inout;
  for (int k = 0; k < *length; ++k, left += 4, right += 4) {
    const long product[4] = {left[0] * right[0] + left[1] * right[2], left[0] * right[1] + left[1] * right[3],
                             left[2] * right[0] + left[3] * right[2],
                             left[2] * right[1] + left[3] * right[3]};
    memcpy(right, product, sizeof product);
  }
}

static void in_order(void) {
  MPI_Datatype matrix;
  MPI_Op product;
  MPI_Type_contiguous(4, MPI_LONG, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &product);
  long mine[4] = {1, rank + 1, 0, 1}, expected[4] = {1, 0, 0, 1}, all[4];
  if (rank % 2 == 1) mine[2] = 1;
  for (int k = 0; k < ranks; ++k) {
    long of[4] = {1, k + 1, k % 2, 1}, left[4];
    memcpy(left, expected, sizeof left);
    expected[0] = left[0] * of[0] + left[1] * of[2];
    expected[1] = left[0] * of[1] + left[1] * of[3];
    expected[2] = left[2] * of[0] + left[3] * of[2];
    expected[3] = left[2] * of[1] + left[3] * of[3];
  }
  MPI_Allreduce(mine, all, 1, matrix, product, MPI_COMM_WORLD);
  CHECK(memcmp(all, expected, sizeof all) == 0);
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
}

static void between(MPI_Comm half, int color) {
  if (ranks < 2) return;
  MPI_Comm inter, merged;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, color == 0 ? 1 : 0, 12, &inter);
  int mine = rank, sum = 0, remote, expected = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int k = 0; k < ranks; ++k) expected += k % 2 != color ? k : 0;
  CHECK(sum == expected);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(remote == (color == 0 ? ranks / 2 : (ranks + 1) / 2));
  MPI_Intercomm_merge(inter, color, &merged);
  int size;
  MPI_Comm_size(merged, &size);
  CHECK(size == ranks);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int counts[] = {0, 1, 3, 100, 1000, 20000};
  MPI_Comm half, reversed;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    on(MPI_COMM_WORLD, counts[i]);
    on(half, counts[i]);
    on(reversed, counts[i]);
    on(MPI_COMM_SELF, counts[i]);
  }
  in_order();
  between(half, rank % 2);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
  return end("collectives");
}
