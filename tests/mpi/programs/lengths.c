// SPDX-License-Identifier: Apache-2.0
// Rank 0 makes another call than the others, so that over several node processes nobody gets on and no
// message shows why: the job must tell ranks, calls and lengths, and end. The argument says which call.
#include "check.h"

enum { few = 1, many = 100000 };

static int *sent, *got;

static int is(const char* word, const char* argument) {
  return strcmp(word, argument) == 0;
}

/* The third collective of a communicator of the same ranks, where ranks compute between the calls. */
static void on_a_copy(int count) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(copy);
  MPI_Bcast(sent, few, MPI_INT, 0, copy);
  MPI_Allreduce(sent, got, count, MPI_INT, MPI_SUM, copy);
}

/* A barrier is nothing that the making of a communicator meets. */
static void making(void) {
  MPI_Comm copy;
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

enum { most_ranks = 64 };
static int sent_counts[most_ranks], got_counts[most_ranks], places[most_ranks];
static MPI_Datatype types[most_ranks];

/* Rank 0 has something for the last rank, which expects something of rank 0: one of both is nothing. */
static void prepare(int expected, int had) {
  CHECK(ranks <= most_ranks);
  for (int k = 0; k < ranks; ++k) types[k] = MPI_INT;
  if (rank == 0) sent_counts[ranks - 1] = had;
  if (rank == ranks - 1) got_counts[0] = expected;
}

static void unequal(int expected, int had) {
  prepare(expected, had);
  MPI_Alltoallv(sent, sent_counts, places, MPI_INT, got, got_counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void typed(void) {
  prepare(few, 0);
  MPI_Alltoallw(sent, sent_counts, places, types, got, got_counts, places, types, MPI_COMM_WORLD);
}

static void started(void) {
  MPI_Request request;
  prepare(few, 0);
  MPI_Ialltoallv(sent, sent_counts, places, MPI_INT, got, got_counts, places, MPI_INT, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Nobody has done anything wrong: ranks wait for rank 0, longer than the time after which calls are compared.
 */
static void late(void) {
  MPI_Request request;
  MPI_Iallgather(sent, many, MPI_INT, got, many, MPI_INT, MPI_COMM_WORLD, &request);
  if (rank == 0) {
    const double begin = MPI_Wtime();
    while (MPI_Wtime() - begin < 4) {
    }
  }
  MPI_Allreduce(sent, got, many, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* const call = argc > 1 ? argv[1] : "";
  const int count = rank == 0 ? few : many;
  sent = calloc((size_t)many * (size_t)ranks, sizeof(int));
  got = calloc((size_t)many * (size_t)ranks, sizeof(int));
  CHECK(sent != NULL && got != NULL);
  if (is(call, "allreduce")) MPI_Allreduce(sent, got, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (is(call, "allgather")) MPI_Allgather(sent, count, MPI_INT, got, count, MPI_INT, MPI_COMM_WORLD);
  if (is(call, "copy")) on_a_copy(count);
  if (is(call, "root")) MPI_Bcast(sent, few, MPI_INT, rank == 0 ? 1 : 0, MPI_COMM_WORLD);
  if (is(call, "finalize") && rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (is(call, "making")) making();
  if (is(call, "sends_nothing")) unequal(many, 0);
  if (is(call, "expects_nothing")) unequal(0, many);
  if (is(call, "typed")) typed();
  if (is(call, "started")) started();
  if (is(call, "late")) late();
  free(sent);
  free(got);
  if (is(call, "late")) return end("lengths");
  MPI_Finalize();
  return 0;
}
