// SPDX-License-Identifier: Apache-2.0
// Point-to-point messages of all sizes and modes, between all pairs of ranks.
#include "check.h"

enum { most = 300000 };
static int out[most], in[most];

static void ring(int count, int mode) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  for (int i = 0; i < count; ++i) out[i] = rank * 1000003 + i;
  memset(in, 0xff, sizeof in[0] * (size_t)count);
  MPI_Request request, sent = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Irecv(in, count, MPI_INT, from, mode, MPI_COMM_WORLD, &request);
  switch (mode) {
    case 0:
      MPI_Send(out, count, MPI_INT, to, mode, MPI_COMM_WORLD);
      break;
    case 1:
      MPI_Ssend(out, count, MPI_INT, to, mode, MPI_COMM_WORLD);
      break;
    case 2:
      MPI_Bsend(out, count, MPI_INT, to, mode, MPI_COMM_WORLD);
      break;
    case 3:
      MPI_Isend(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &sent);
      break;
    case 4:
      MPI_Issend(out, count, MPI_INT, to, mode, MPI_COMM_WORLD, &sent);
      break;
    default:
      break;
  }
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Wait(&request, &status);
  count_type received;
  MPI_Get_count(&status, MPI_INT, &received);
  CHECK(received == count && status.MPI_SOURCE == from && status.MPI_TAG == mode);
  for (int i = 0; i < count; ++i) CHECK(in[i] == from * 1000003 + i);
}

/* Everybody sends to everybody; received in any order, sorted out by source and tag. */
static void all_pairs(void) {
  enum { each = 20 };
  MPI_Request* requests = malloc(sizeof *requests * (size_t)(ranks * each));
  int* values = malloc(sizeof *values * (size_t)(ranks * each));
  for (int to = 0; to < ranks; ++to) {
    for (int k = 0; k < each; ++k) {
      values[to * each + k] = rank * 100000 + to * 100 + k;
      MPI_Isend(&values[to * each + k], 1, MPI_INT, to, k % 3, MPI_COMM_WORLD, &requests[to * each + k]);
    }
  }
  int* next = calloc((size_t)ranks * 3, sizeof *next);
  for (int message = 0; message < ranks * each; ++message) {
    int value;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    /* Messages of one source and tag come in the order of sending. */
    int* const k = &next[status.MPI_SOURCE * 3 + status.MPI_TAG];
    CHECK(value == status.MPI_SOURCE * 100000 + rank * 100 + *k * 3 + status.MPI_TAG);
    ++*k;
  }
  MPI_Waitall(ranks * each, requests, MPI_STATUSES_IGNORE);
  free(next);
  free(values);
  free(requests);
}

static void probes(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  double data[5] = {1, 2, 3, 4, rank};
  MPI_Request sent;
  MPI_Isend(data, 5, MPI_DOUBLE, to, 9, MPI_COMM_WORLD, &sent);
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  count_type count;
  int flag;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK(count == 5 && status.MPI_SOURCE == from && status.MPI_TAG == 9);
  MPI_Iprobe(from, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag || ranks == 1 || flag == 0);
  double got[5];
  MPI_Mrecv(got, 5, MPI_DOUBLE, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL && got[4] == from && got[0] == 1);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

/* Calls that make a request must not look at what its variable held: before that it holds nothing. */
static void unset_requests(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  memset(requests, 0x5a, sizeof requests);
  MPI_Message message;
  MPI_Isend(&rank, 1, MPI_INT, to, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(from, 10, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  int got = -1;
  MPI_Imrecv(&got, 1, MPI_INT, &message, &requests[1]);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(got == from && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

static void nobody(void) {
  MPI_Status status;
  MPI_Sendrecv(out, 3, MPI_INT, MPI_PROC_NULL, 1, in, 3, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD,
               &status);
  count_type count;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
}

static void truncation(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request sent;
  MPI_Isend(out, 8, MPI_INT, rank, 5, MPI_COMM_WORLD, &sent);
  int error_class;
  MPI_Error_class(MPI_Recv(in, 4, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &error_class);
  CHECK(error_class == MPI_ERR_TRUNCATE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Error_class(MPI_Send(out, 1, MPI_INT, ranks, 5, MPI_COMM_WORLD), &error_class);
  CHECK(error_class == MPI_ERR_RANK);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void persistent(void) {
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Recv_init(in, 10, MPI_INT, from, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, 10, MPI_INT, to, 6, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) out[i] = rank + round * i;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 10; ++i) CHECK(in[i] == from + round * i);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  MPI_Irecv(in, 1, MPI_INT, rank, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int room = (int)sizeof out + 10 * MPI_BSEND_OVERHEAD;
  void* attached = malloc((size_t)room);
  MPI_Buffer_attach(attached, room);
  const int counts[] = {0, 1, 2, 7, 50, 255, 256, 257, 1024, 4095, 16384, 16385, 65536, most};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    for (int mode = 0; mode <= 4; ++mode) ring(counts[i], mode);
  }
  count_type size;
  MPI_Buffer_detach(&attached, &size);
  CHECK(size == room);
  free(attached);
  all_pairs();
  MPI_Barrier(MPI_COMM_WORLD);
  probes();
  unset_requests();
  nobody();
  truncation();
  persistent();
  cancelled();
  return end("messages");
}
