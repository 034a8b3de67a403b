// SPDX-License-Identifier: Apache-2.0
// Partitioned communication: partitions marked by several threads in any order, cut otherwise by the
// receiver, with types that have gaps, again and again; requests of one tag match in the order in which they
// are made.
#include "check.h"

enum { parts = 12, words = 50, rounds = 3 };

static int value(int sender, int round, int k) {
  return 1000000 * sender + 10000 * round + k;
}

static void around(int sender_parts, int receiver_parts, int gaps) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, total = parts * words;
  static int out[parts * words], in[2 * parts * words];
  MPI_Datatype spaced = MPI_INT;
  if (gaps) {
    MPI_Type_create_resized(MPI_INT, 0, 8, &spaced);
    MPI_Type_commit(&spaced);
  }
  MPI_Request send, receive;
  MPI_Psend_init(out, sender_parts, total / sender_parts, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &send);
  MPI_Precv_init_c(in, receiver_parts, total / receiver_parts, spaced, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &receive);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < total; ++k) out[k] = value(rank, round, k), in[k] = -1, in[total + k] = -1;
    MPI_Start(&receive);
    MPI_Start(&send);
#pragma omp parallel for num_threads(3)
    for (int part = 0; part < sender_parts / 2; ++part) MPI_Pready(sender_parts - 1 - part, send);
    if (sender_parts > 1) {
      const int list[1] = {0};
      MPI_Pready_list(1, list, send);
      MPI_Pready_range(1, sender_parts - sender_parts / 2 - 1, send);
    } else {
      MPI_Pready(0, send);
    }
    for (int part = receiver_parts - 1; part >= 0; --part) {
      int there = 0;
      while (!there) MPI_Parrived(receive, part, &there);
      const int first = part * (total / receiver_parts);
      CHECK(in[(gaps ? 2 : 1) * first] == value(left, round, first));
    }
    MPI_Status status;
    int count;
    MPI_Wait(&receive, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == total && status.MPI_SOURCE == left && status.MPI_TAG == 3);
    for (int k = 0; k < total; ++k) CHECK(in[(gaps ? 2 : 1) * k] == value(left, round, k));
    if (gaps) CHECK(in[1] == -1);
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  if (gaps) MPI_Type_free(&spaced);
}

static void order_of_requests(void) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request sends[2], receives[2];
  int out[2] = {10 * rank, 10 * rank + 1}, in[2] = {-1, -1};
  for (int k = 0; k < 2; ++k)
    MPI_Precv_init(&in[k], 1, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[k]);
  for (int k = 0; k < 2; ++k)
    MPI_Psend_init_c(&out[k], 1, 1, MPI_INT, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[k]);
  MPI_Startall(2, receives);
  for (int k = 1; k >= 0; --k) MPI_Start(&sends[k]), MPI_Pready(0, sends[k]);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  CHECK(in[0] == 10 * left && in[1] == 10 * left + 1);
  for (int k = 0; k < 2; ++k) MPI_Request_free(&sends[k]), MPI_Request_free(&receives[k]);
}

static void errors(void) {
  MPI_Request request, other;
  int word = 0, flag = 0;
  MPI_Status status;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Psend_init(&word, 0, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request) ==
        MPI_ERR_ARG);
  CHECK(MPI_Precv_init(&word, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request) ==
        MPI_ERR_RANK);
  MPI_Psend_init(&word, 2, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  CHECK(MPI_Pready(0, request) == MPI_ERR_REQUEST);
  MPI_Start(&request);
  CHECK(MPI_Pready(2, request) == MPI_ERR_ARG);
  CHECK(MPI_Pready(1, request) == MPI_SUCCESS);
  CHECK(MPI_Pready(1, request) == MPI_ERR_ARG);
  CHECK(MPI_Parrived(request, 0, &flag) == MPI_ERR_REQUEST);
  CHECK(MPI_Request_free(&request) == MPI_ERR_REQUEST);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Pready(0, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  // More than there is room for.
  MPI_Psend_init(&word, 1, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Precv_init(&word, 1, 2, MPI_BYTE, rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &other);
  MPI_Start(&other);
  CHECK(MPI_Wait(&other, &status) == MPI_ERR_TRUNCATE);
  MPI_Request_free(&other);
  MPI_Request_free(&request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  around(parts, parts, 0);
  around(parts, 4, 0);
  around(3, parts, 1);
  around(1, 1, 1);
  order_of_requests();
  errors();
  return end("partitioned");
}
