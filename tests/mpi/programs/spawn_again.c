// SPDX-License-Identifier: Apache-2.0
// Ranks that start and end again and again, more of them than the job has numbers for. To be run with places
// for 12 more ranks. Arguments: turns, and how children leave: "disconnect" them and their parents, or
// "leave" without a word, and the parents free what they have.
#include <pthread.h>
#include <unistd.h>

#include "check.h"

// What a rank has left in its variables is not there for the next one.
static int zero, zeros[100000];
static long seven = 7;
static long* to_seven = &seven;
static char text[] = "as it was";

static void use_variables(void) {
  CHECK(zero == 0 && zeros[0] == 0 && zeros[50000] == 0 && zeros[99999] == 0 && seven == 7 &&
        to_seven == &seven && strcmp(text, "as it was") == 0);
  zero = zeros[0] = zeros[50000] = zeros[99999] = 1;
  seven = 8;
  to_seven = NULL;
  memset(text, 'x', sizeof text - 1);
}

// A thread that has returned still runs destructors, which use the variables of its rank.
static long last_left;
static pthread_key_t key;

static void leave_slowly(void* rank_number) {
  usleep(3000);
  last_left = (long)rank_number;
}

static void* run(void* rank_number) {
  CHECK(pthread_setspecific(key, rank_number) == 0);
  return NULL;
}

static void start_thread(long number) {
  pthread_t thread;
  CHECK(pthread_key_create(&key, &leave_slowly) == 0);
  CHECK(pthread_create(&thread, NULL, &run, (void*)number) == 0 && pthread_detach(thread) == 0);
}

static int child(const char* how, MPI_Comm parent) {
  use_variables();
  int turn = -1, sum;
  MPI_Comm all;
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Bcast(&turn, 1, MPI_INT, 0, all);
  MPI_Allreduce(&turn, &sum, 1, MPI_INT, MPI_SUM, all);
  if (rank == 0) MPI_Send(&sum, 1, MPI_INT, 0, turn, parent);
  // One that nobody receives, for the next rank with this number not to get either.
  MPI_Request request;
  MPI_Isend(&turn, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 10, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  CHECK(last_left == 0);
  start_thread(turn + 1);
  MPI_Send(&turn, 1, MPI_INT, 0, 10, MPI_COMM_SELF);
  if (strcmp(how, "disconnect") == 0) {
    MPI_Comm_disconnect(&all);
    MPI_Comm_disconnect(&parent);
  }
  CHECK(last_left == 0 || last_left == turn + 1);
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  const char* const how = argv[2];
  if (parent != MPI_COMM_NULL) return child(how, parent);
  const int turns = atoi(argv[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Group world, former = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int turn = 0; turn < turns; ++turn) {
    const int number = 1 + turn % 2;
    MPI_Comm children, all;
    MPI_Group theirs;
    // Waits for those that have left MPI, but have not ended yet.
    CHECK(MPI_Comm_spawn(argv[0], argv + 1, number, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                         MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
    MPI_Comm_remote_group(children, &theirs);
    // A group of ranks that have ended names them: others must not seem to be the same.
    if (former != MPI_GROUP_NULL) {
      MPI_Group both;
      int members;
      MPI_Group_intersection(former, theirs, &both);
      MPI_Group_size(both, &members);
      CHECK(members == 0);
      if (both != MPI_GROUP_EMPTY) MPI_Group_free(&both);
      MPI_Group_free(&former);
    }
    if (turn % 5 == 0 && number == 1)
      former = theirs;
    else
      MPI_Group_free(&theirs);
    MPI_Intercomm_merge(children, 0, &all);
    int value = turn, sum = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, all);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == turn * (ranks + number));
    if (rank == 1) MPI_Barrier(MPI_COMM_SELF);  // more calls than the other rank has
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, 0, turn, children, MPI_STATUS_IGNORE);
      CHECK(value == sum);
    }
    if (strcmp(how, "disconnect") == 0) {
      MPI_Comm_disconnect(&all);
      MPI_Comm_disconnect(&children);
    } else {
      MPI_Comm_free(&all);
      MPI_Comm_free(&children);
    }
  }
  if (former != MPI_GROUP_NULL) MPI_Group_free(&former);
  MPI_Group_free(&world);
  return end("spawn_again");
}
