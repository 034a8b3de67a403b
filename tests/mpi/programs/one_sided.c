// SPDX-License-Identifier: Apache-2.0
// Windows under the three ways of synchronisation, atomic updates, shared memory.
#include <stdint.h>

#include "check.h"

static void fences(void) {
  int* memory;
  MPI_Win window;
  MPI_Win_allocate((MPI_Aint)sizeof(int) * ranks, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  for (int i = 0; i < ranks; ++i) memory[i] = -1;
  MPI_Win_fence(0, window);
  for (int to = 0; to < ranks; ++to) {
    const int value = rank * 100 + to;
    MPI_Put(&value, 1, MPI_INT, to, rank, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
  }
  for (int from = 0; from < ranks; ++from) CHECK(memory[from] == from * 100 + rank);
  int got = 0;
  MPI_Get(&got, 1, MPI_INT, (rank + 1) % ranks, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(got == rank * 100 + (rank + 1) % ranks);
  MPI_Win_free(&window);
}

static void locks(void) {
  int64_t counter[2] = {0, 0};
  MPI_Win window;
  MPI_Win_create(counter, sizeof counter, sizeof counter[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  enum { times = 200 };
  /* Read, change and write under an exclusive lock; and atomically. */
  for (int k = 0; k < times; ++k) {
    int64_t value, one = 1, before;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
    MPI_Win_flush(0, window);
    ++value;
    MPI_Put(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, window);
    MPI_Win_unlock(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 1, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    CHECK(before >= 0 && before < 2 * (int64_t)times * ranks);
    MPI_Request request;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_SUM, window,
                        &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(before >= 1 && before < 2 * (int64_t)times * ranks);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    CHECK(counter[0] == (int64_t)times * ranks && counter[1] == 2 * (int64_t)times * ranks);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_free(&window);
}

static void posts(void) {
  if (ranks < 2) return;
  double value = -1, mine = rank + 0.5;
  MPI_Win window;
  MPI_Group world, left, right;
  MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Group_incl(world, 1, &from, &left);
  MPI_Group_incl(world, 1, &to, &right);
  for (int round = 0; round < 10; ++round) {
    MPI_Win_post(left, 0, window);
    MPI_Win_start(right, 0, window);
    mine = rank + round * 0.5;
    MPI_Put(&mine, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK(value == from + round * 0.5);
  }
  MPI_Group_free(&left);
  MPI_Group_free(&right);
  MPI_Group_free(&world);
  MPI_Win_free(&window);
}

static void shared(void) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int me, size;
  displacement_type unit;
  MPI_Comm_rank(node, &me);
  MPI_Comm_size(node, &size);
  int *mine, *others;
  MPI_Win window;
  MPI_Aint bytes;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &window);
  MPI_Win_lock_all(0, window);
  *mine = me * 3;
  MPI_Win_sync(window);
  MPI_Barrier(node);
  MPI_Win_sync(window);
  for (int k = 0; k < size; ++k) {
    MPI_Win_shared_query(window, k, &bytes, &unit, &others);
    CHECK(bytes == sizeof(int) && *others == k * 3);
  }
  MPI_Barrier(node);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

/* Memory of any window but a dynamic one can be asked for, and is told where loads reach it. */
static void queried(void) {
  int value = rank + 5;
  int* found = &value;
  displacement_type unit = 0;
  MPI_Aint bytes = -1;
  MPI_Win window;
  MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  for (int k = 0; k < ranks; ++k) {
    MPI_Win_shared_query(window, k, &bytes, &unit, &found);
    CHECK(unit == sizeof value);
    CHECK(found == NULL ? bytes == 0 && k != rank : bytes == sizeof value && *found == k + 5);
  }
  MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &unit, &found);
  CHECK(found == NULL ? bytes == 0 && rank != 0 : bytes == sizeof value && *found == 5);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  fences();
  locks();
  posts();
  shared();
  queried();
  return end("one_sided");
}
