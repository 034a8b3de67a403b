// SPDX-License-Identifier: Apache-2.0
// Requests of every kind, completed in every way; generalized requests; what statuses hold.
#include <pthread.h>
#include <unistd.h>

#include "check.h"

/* Built with another library this program does without the calls of MPI-4.1. */
#ifndef TAIHU_MPI
#define MPI_Status_get_source(status, source) (*(source) = (status)->MPI_SOURCE)
#define MPI_Status_get_tag(status, tag) (*(tag) = (status)->MPI_TAG)
#define MPI_Status_get_error(status, error) (*(error) = (status)->MPI_ERROR)
#define MPI_Status_set_source(status, source) ((status)->MPI_SOURCE = (source))
#define MPI_Status_set_tag(status, tag) ((status)->MPI_TAG = (tag))
#define MPI_Status_set_error(status, error) ((status)->MPI_ERROR = (error))
#endif

static int to, from;

static void all_kinds(void) {
  int out[8], in[8];
  count_type count;
  char attached[8 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
  MPI_Request requests[8], none = MPI_REQUEST_NULL;
  MPI_Status statuses[8], status;
  MPI_Buffer_attach(attached, sizeof attached);
  for (int k = 0; k < 4; ++k) {
    out[k] = rank * 10 + k;
    MPI_Irecv(&in[k], 1, MPI_INT, from, k, MPI_COMM_WORLD, &requests[k]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Ibsend(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Irsend(&out[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Issend(&out[3], 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[7]);
  int left = 8, indices[8], finished;
  while (left > 0) {
    MPI_Waitsome(8, requests, &finished, indices, statuses);
    CHECK(finished > 0 && finished <= left);
    for (int k = 0; k < finished; ++k) {
      CHECK(requests[indices[k]] == MPI_REQUEST_NULL);
      if (indices[k] < 4) CHECK(statuses[k].MPI_SOURCE == from && statuses[k].MPI_TAG == indices[k]);
    }
    left -= finished;
  }
  for (int k = 0; k < 4; ++k) CHECK(in[k] == from * 10 + k);
  MPI_Waitsome(8, requests, &finished, indices, statuses);
  CHECK(finished == MPI_UNDEFINED);
  MPI_Testsome(8, requests, &finished, indices, statuses);
  CHECK(finished == MPI_UNDEFINED);
  int flag, index;
  MPI_Testany(8, requests, &index, &flag, &status);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Testall(8, requests, &flag, statuses);
  CHECK(flag);
  MPI_Wait(&none, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0);
  void* address;
  count_type size;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == (void*)attached && size == (int)sizeof attached);
}

static void persistent_kinds(void) {
  int out[3] = {rank, rank + 1, rank + 2}, in[3];
  char attached[100 + 2 * MPI_BSEND_OVERHEAD];
  MPI_Buffer_attach(attached, sizeof attached);
  MPI_Request requests[6];
  MPI_Bsend_init(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend_init(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Rsend_init(&out[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[2]);
  for (int k = 0; k < 3; ++k) MPI_Recv_init(&in[k], 1, MPI_INT, from, k, MPI_COMM_WORLD, &requests[3 + k]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(3, &requests[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(3, requests);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 3; ++k) CHECK(in[k] == from + k);
  }
  MPI_Status status;
  int flag;
  count_type count;
  MPI_Test(&requests[0], &flag, &status); /* inactive: complete, and empty */
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(flag && count == 0 && requests[0] != MPI_REQUEST_NULL);
  for (int k = 0; k < 6; ++k) MPI_Request_free(&requests[k]);
  void* address;
  MPI_Buffer_detach(&address, &count);
}

static void both_ways(void) {
  int value = rank, got = -1, pair[2] = {rank, rank * 2};
  MPI_Status status;
  MPI_Request request;
  MPI_Isendrecv(&value, 1, MPI_INT, to, 4, &got, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(got == from && status.MPI_SOURCE == from);
  MPI_Sendrecv_replace(pair, 2, MPI_INT, to, 5, from, 5, MPI_COMM_WORLD, &status);
  CHECK(pair[0] == from && pair[1] == from * 2);
  MPI_Isendrecv_replace(pair, 2, MPI_INT, to, 6, from, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  CHECK(pair[0] == (from + ranks - 1) % ranks && status.MPI_TAG == 6);
  MPI_Request sent;
  MPI_Isend(&value, 1, MPI_INT, to, 8, MPI_COMM_WORLD, &sent);
  MPI_Message message;
  int flag = 0;
  while (!flag) MPI_Improbe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(status.MPI_TAG == 8);
  MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  CHECK(got == from);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
  CHECK(flag && message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && message == MPI_MESSAGE_NULL);
}

static void looked_at(void) {
  int value = 0, flag;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  MPI_Irecv(&value, 1, MPI_INT, rank, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, rank, 21, MPI_COMM_WORLD, &requests[1]);
  MPI_Request_get_status(requests[0], &flag, &status);
  CHECK(!flag);
  const int five = 5;
  MPI_Send(&five, 1, MPI_INT, rank, 21, MPI_COMM_WORLD);
#ifdef TAIHU_MPI
  int index, finished, indices[2];
  do {
    MPI_Request_get_status_any(2, requests, &index, &flag, &status);
  } while (!flag);
  CHECK(index == 1 && status.MPI_TAG == 21 && requests[1] != MPI_REQUEST_NULL);
  MPI_Request_get_status_some(2, requests, &finished, indices, statuses);
  CHECK(finished == 1 && indices[0] == 1);
  MPI_Request_get_status_all(2, requests, &flag, statuses);
  CHECK(!flag);
#endif
  MPI_Send(&five, 1, MPI_INT, rank, 20, MPI_COMM_WORLD);
#ifdef TAIHU_MPI
  do {
    MPI_Request_get_status_all(2, requests, &flag, statuses);
  } while (!flag);
#endif
  MPI_Waitall(2, requests, statuses);
  CHECK(value == 5);
}

struct job {
  MPI_Request request;
  int queried, freed, cancelled;
};
static int query(void* state, MPI_Status* status) {
  ((struct job*)state)->queried++;
  MPI_Status_set_elements(status, MPI_INT, 3);
  MPI_Status_set_cancelled(status, ((struct job*)state)->cancelled);
  MPI_Status_set_source(status, 42);
  MPI_Status_set_tag(status, 43);
  return MPI_SUCCESS;
}
static int release(void* state) {
  ((struct job*)state)->freed++;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  ((struct job*)state)->cancelled = !complete;
  return MPI_SUCCESS;
}
static void* finish(void* state) {
  usleep(20000);
  MPI_Grequest_complete(((struct job*)state)->request);
  return NULL;
}

static void generalized(void) {
  struct job job = {MPI_REQUEST_NULL, 0, 0, 0};
  MPI_Grequest_start(query, release, cancel, &job, &job.request);
  MPI_Request request = job.request;
  int flag;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  pthread_t thread;
  pthread_create(&thread, NULL, finish, &job);
  MPI_Status status;
  MPI_Wait(&request, &status);
  pthread_join(thread, NULL);
  int source, tag;
  count_type count;
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  CHECK(count == 3 && source == 42 && tag == 43 && job.queried == 1 && job.freed == 1 &&
        request == MPI_REQUEST_NULL);
  job = (struct job){MPI_REQUEST_NULL, 0, 0, 0};
  MPI_Grequest_start(query, release, cancel, &job, &job.request);
  request = job.request;
  MPI_Cancel(&request);
  MPI_Grequest_complete(job.request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag && job.freed == 1);
}

struct fault {
  MPI_Request request;
  int query_code, free_code, queried, freed;
};
static int faulty_query(void* state, MPI_Status* status) {
  struct fault* const fault = state;
  CHECK(fault->freed == 0);
  fault->queried++;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return fault->query_code;
}
static int faulty_free(void* state) {
  struct fault* const fault = state;
  fault->freed++;
  return fault->free_code;
}
static struct fault* start_faulty(int query_code, int free_code) {
  static struct fault fault;
  fault = (struct fault){MPI_REQUEST_NULL, query_code, free_code, 0, 0};
  MPI_Grequest_start(faulty_query, faulty_free, cancel, &fault, &fault.request);
  return &fault;
}
static int class_of(int code) {
  MPI_Error_class(code, &code);
  return code;
}

static void generalized_failures(void) {
  const int codes[][3] = {{MPI_ERR_TOPOLOGY, MPI_SUCCESS, MPI_ERR_TOPOLOGY},
                          {MPI_SUCCESS, MPI_ERR_DIMS, MPI_ERR_DIMS},
                          {MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_DIMS}};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < 3; ++k) {
    MPI_Status status;
    struct fault* fault = start_faulty(codes[k][0], codes[k][1]);
    MPI_Grequest_complete(fault->request);
    CHECK(class_of(MPI_Wait(&fault->request, &status)) == codes[k][2]);
    CHECK(fault->queried == 1 && fault->freed == 1 && fault->request == MPI_REQUEST_NULL);
    fault = start_faulty(codes[k][0], codes[k][1]);
    MPI_Grequest_complete(fault->request);
    int flag = 0;
    CHECK(class_of(MPI_Request_get_status(fault->request, &flag, &status)) == codes[k][0]);
    CHECK(flag && fault->queried == 1 && fault->freed == 0);
    CHECK(class_of(MPI_Waitall(1, &fault->request, &status)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(status.MPI_ERROR) == codes[k][2] && fault->queried == 2 && fault->freed == 1);
    fault = start_faulty(codes[k][0], codes[k][1]);
    MPI_Grequest_complete(fault->request);
    CHECK(class_of(MPI_Request_free(&fault->request)) == codes[k][1] && fault->freed == 1);
    fault = start_faulty(codes[k][0], codes[k][1]);
    MPI_Request dropped = fault->request;
    CHECK(MPI_Request_free(&dropped) == MPI_SUCCESS && fault->freed == 0);
    CHECK(class_of(MPI_Grequest_complete(fault->request)) == codes[k][1] && fault->freed == 1);
    CHECK(fault->queried == 0);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void failures(void) {
  int small, big[10] = {0}, error;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Irecv(&small, 1, MPI_INT, rank, 30, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(big, 10, MPI_INT, rank, 30, MPI_COMM_WORLD, &requests[1]);
  MPI_Error_class(MPI_Waitall(2, requests, statuses), &error);
  CHECK(error == MPI_ERR_IN_STATUS);
  MPI_Status_get_error(&statuses[0], &error);
  MPI_Error_class(error, &error);
  CHECK(error == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
  MPI_Error_class(MPI_Start(&requests[0]), &error);
  CHECK(error == MPI_ERR_REQUEST);
  MPI_Error_class(MPI_Rsend(big, -1, MPI_INT, rank, 0, MPI_COMM_WORLD), &error);
  CHECK(error == MPI_ERR_COUNT);
  MPI_Error_class(MPI_Send(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), &error);
  CHECK(error == MPI_ERR_BUFFER);
  MPI_Error_class(MPI_Send(big, 1, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD), &error);
  CHECK(error == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Send(big, 1, MPI_INT, rank, -5, MPI_COMM_WORLD), &error);
  CHECK(error == MPI_ERR_TAG);
  MPI_Error_class(MPI_Bsend(big, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), &error);
  CHECK(error == MPI_ERR_BUFFER); /* nothing is attached */
  MPI_Status_set_error(&statuses[0], MPI_ERR_OTHER);
  CHECK(statuses[0].MPI_ERROR == MPI_ERR_OTHER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* A freed request still sends. */
static void abandoned(void) {
  enum { count = 100000 };
  static int out[count], in[count];
  for (int i = 0; i < count; ++i) out[i] = rank + i;
  MPI_Request request;
  MPI_Isend(out, count, MPI_INT, to, 50, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Recv(in, count, MPI_INT, from, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) CHECK(in[i] == from + i);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  to = (rank + 1) % ranks;
  from = (rank + ranks - 1) % ranks;
  all_kinds();
  persistent_kinds();
  both_ways();
  looked_at();
  generalized();
  generalized_failures();
  failures();
  abandoned();
  return end("requests");
}
