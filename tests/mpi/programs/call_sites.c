// SPDX-License-Identifier: Apache-2.0
// Calls whose places, numbers and bytes check_sites.py knows: from functions of the program and of a shared
// library, at a point in the file and, with the argument "many", from more places than are counted apart.
#include "call_sites_library.h"
#include "check.h"

enum { rounds = 7, numbers = 100 };

__attribute__((noinline)) static void send_round(int* values, int to) {
  MPI_Send(values, numbers, MPI_INT, to, 3, MPI_COMM_WORLD);  // place: send
  CHECK(values[0] == rank);
}

__attribute__((noinline)) static void receive_round(int* values, int from) {
  MPI_Recv(values, numbers, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // place: receive
  CHECK(values[0] == from);
}

__attribute__((noinline)) static void exchange(int* out, int* in, int to, int from) {
  MPI_Request requests[2];
  MPI_Irecv(in, numbers, MPI_INT, from, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, numbers, MPI_INT, to, 4, MPI_COMM_WORLD, &requests[1]);  // place: start
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                          // place: wait
  CHECK(in[0] == from);
}

// One call's code for each: 16 to the third power is more than the places of a thread.
#define SIXTEEN(x) x x x x x x x x x x x x x x x x
__attribute__((noinline)) static void many_places(void) {
  int size = 0, sum = 0;
  // clang-format off
  SIXTEEN(SIXTEEN(SIXTEEN(MPI_Comm_size(MPI_COMM_WORLD, &size); sum += size;)))  // place: many
  // clang-format on
  CHECK(sum == 4096 * ranks);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int mine[numbers] = {rank}, others[numbers];
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int k = 0; k < rounds; ++k) {
    if (rank % 2 == 0) send_round(mine, to);
    receive_round(others, from);
    if (rank % 2 != 0) send_round(mine, to);
    exchange(mine, others, to, from);
  }
  CHECK(sum_in_library(rank) == ranks * (ranks - 1) / 2);
  if (argc > 1) many_places();
  return end("call_sites");
}
