// SPDX-License-Identifier: Apache-2.0
// Spawned ranks that end with a transfer under way: their memory must not be another rank's until it is over.
// Argument: what the first child leaves. "receive": one that it has posted, for which a message comes late;
// "send": a long message that is received late; "free": the same, and it has freed the request.
#include <unistd.h>

#include "check.h"

enum { length = 100000, of_first = 3, of_second = 5, of_parent = 7 };
static int numbers[length];

static void fill(int value) {
  for (int k = 0; k < length; ++k) numbers[k] = value;
}

static void check_all(int value) {
  for (int k = 0; k < length; ++k) CHECK(numbers[k] == value);
}

static int first_child(const char* leaves, MPI_Comm parent) {
  fill(of_first);
  MPI_Request request;
  if (strcmp(leaves, "receive") == 0)
    MPI_Irecv(numbers, length, MPI_INT, 0, 1, parent, &request);
  else
    MPI_Isend(numbers, length, MPI_INT, 0, 1, parent, &request);
  if (strcmp(leaves, "free") == 0) MPI_Request_free(&request);
  MPI_Send(NULL, 0, MPI_INT, 0, 2, parent);
  MPI_Finalize();
  return 0;
}

// Has the memory of the first one, where that was let go.
static int second_child(MPI_Comm parent) {
  fill(of_second);
  MPI_Send(NULL, 0, MPI_INT, 0, 2, parent);
  MPI_Recv(NULL, 0, MPI_INT, 0, 3, parent, MPI_STATUS_IGNORE);
  check_all(of_second);
  MPI_Send(NULL, 0, MPI_INT, 0, 4, parent);
  MPI_Finalize();
  return 0;
}

static MPI_Comm spawn(char* program, char* which, char* leaves) {
  char* arguments[] = {which, leaves, NULL};
  MPI_Comm child;
  MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
  MPI_Recv(NULL, 0, MPI_INT, 0, 2, child, MPI_STATUS_IGNORE);
  return child;
}

static void meet_both(char* program, char* leaves) {
  MPI_Comm first = spawn(program, "first", leaves);
  usleep(300000);  // it has ended, if it does not wait for its message
  MPI_Comm second = spawn(program, "second", leaves);
  if (strcmp(leaves, "receive") == 0) {
    fill(of_parent);
    MPI_Request request;
    MPI_Isend(numbers, length, MPI_INT, 0, 1, first, &request);
    MPI_Request_free(&request);  // the message is delivered, so that its memory can be used again
    usleep(100000);              // perhaps by another node process
  } else {
    MPI_Recv(numbers, length, MPI_INT, 0, 1, first, MPI_STATUS_IGNORE);
    check_all(of_first);
  }
  MPI_Send(NULL, 0, MPI_INT, 0, 3, second);
  MPI_Recv(NULL, 0, MPI_INT, 0, 4, second, MPI_STATUS_IGNORE);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    return strcmp(argv[1], "first") == 0 ? first_child(argv[2], parent) : second_child(parent);
  if (rank == 0) meet_both(argv[0], argv[1]);
  return end("spawn_leftover");
}
