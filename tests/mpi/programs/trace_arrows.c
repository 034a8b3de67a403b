// SPDX-License-Identifier: Apache-2.0
// Messages whose arrows check_trace.py knows: every message has a length of its own, so that an arrow between
// the ends of two messages shows. Receives complete in another order than they were posted, from any source
// and with any tag, by probes and by persistent requests.
#include "check.h"

enum { several = 5, most_bytes = 1 << 17 };
static char out[several][most_bytes], in[several][most_bytes];

// Of message k from a rank: some go at once, some are announced.
static int length(int from, int k) {
  return (k % 2 == 0 ? 16 : 50000) + 8 * (k + several * from);
}

// Posted in order, waited for from the last to the first.
static void backwards(int to, int from) {
  MPI_Request receives[several], sends[several];
  for (int k = 0; k < several; ++k)
    MPI_Irecv(in[k], most_bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, &receives[k]);
  for (int k = 0; k < several; ++k)
    MPI_Isend(out[k], length(rank, k), MPI_BYTE, to, 1, MPI_COMM_WORLD, &sends[k]);
  for (int k = several - 1; k >= 0; --k) {
    MPI_Status status;
    int bytes = 0;
    MPI_Wait(&receives[k], &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    CHECK(bytes == length(from, k));
  }
  MPI_Waitall(several, sends, MPI_STATUSES_IGNORE);
}

// All send to rank 0.
static void from_anywhere(void) {
  if (rank != 0) {
    MPI_Send(out[0], length(rank, 1), MPI_BYTE, 0, rank, MPI_COMM_WORLD);
    MPI_Ssend(out[0], length(rank, 2), MPI_BYTE, 0, rank, MPI_COMM_WORLD);
    return;
  }
  for (int k = 0; k < 2 * (ranks - 1); ++k) {
    MPI_Message message;
    MPI_Status status;
    if (k % 2 == 0) {
      MPI_Recv(in[0], most_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(in[0], most_bytes, MPI_BYTE, &message, &status);
    }
  }
}

static void again_and_again(int to, int from) {
  MPI_Request both[2];
  MPI_Recv_init(in[0], most_bytes, MPI_BYTE, from, 2, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(out[0], length(rank, 3), MPI_BYTE, to, 2, MPI_COMM_WORLD, &both[1]);
  for (int k = 0; k < several; ++k) {
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Sendrecv(out[0], length(rank, 4), MPI_BYTE, to, 3, in[0], most_bytes, MPI_BYTE, from, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Bcast(out[0], 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  backwards(to, from);
  from_anywhere();
  MPI_Barrier(MPI_COMM_WORLD);  // rank 0 takes whatever comes: what follows must not come before
  again_and_again(to, from);
  return end("trace_arrows");
}
