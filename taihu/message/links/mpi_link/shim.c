/* SPDX-License-Identifier: Apache-2.0
 * The one source of the shims: compiled against each MPI library's mpi.h into a module of its own, which is
 * loaded with RTLD_LOCAL. MPI_THREAD_SERIALIZED, because Open MPI's MULTIPLE costs latency and callers hold a
 * lock anyway. */
#include "taihu/message/links/mpi_link/shim.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct request {
  MPI_Request mpi;
  struct request* next_free;
};

/* What the libraries do between processes of one node with their default settings. */
#ifdef OPEN_MPI
enum { bytes_sent_unasked = 4032 };
#else
enum { bytes_sent_unasked = 8256 };
#endif

static MPI_Comm communicator = MPI_COMM_NULL;
static MPI_Comm shared_communicator = MPI_COMM_NULL; /* of transfers with TAIHU_SHIM_SHARED_TAG */
static struct request* free_requests;

static void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "taihu: %s failed between node processes: %s\n", call, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();
}

static struct request* new_request(void) {
  struct request* request = free_requests;
  if (request != NULL) {
    free_requests = request->next_free;
    return request;
  }
  request = malloc(sizeof *request);
  if (request == NULL) check(MPI_ERR_NO_MEM, "malloc of a request");
  return request;
}

static void release(struct request* request) {
  request->next_free = free_requests;
  free_requests = request;
}

static void wait_for(MPI_Request* request, const char* call) {
  for (int turns = 0;; ++turns) {
    int done;
    check(MPI_Test(request, &done, MPI_STATUS_IGNORE), call);
    if (done) return;
    if (turns > 100) {
      const struct timespec pause = {0, 50000};
      nanosleep(&pause, NULL);
    }
  }
}

static MPI_Comm communicator_of(int tag) {
  return tag == TAIHU_SHIM_SHARED_TAG ? shared_communicator : communicator;
}

static void copy_world(MPI_Comm* copy) {
  check(MPI_Comm_dup(MPI_COMM_WORLD, copy), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

static void start(int* process, int* processes, int* tag_limit, int* unasked_bytes) {
  int provided;
  int found;
  int* limit;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    fprintf(stderr,
            "taihu: MPI_Init_thread failed; start the job with the launcher of the MPI library in use\n");
    exit(1);
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    fprintf(stderr,
            "taihu: the MPI library lacks MPI_THREAD_SERIALIZED; use one built with thread support\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  copy_world(&communicator);
  copy_world(&shared_communicator);
  check(MPI_Comm_rank(communicator, process), "MPI_Comm_rank");
  check(MPI_Comm_size(communicator, processes), "MPI_Comm_size");
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found), "MPI_Comm_get_attr");
  *tag_limit = found ? *limit : 32767;
  *unasked_bytes = bytes_sent_unasked;
}

static void stop(void) {
  MPI_Comm_free(&shared_communicator);
  MPI_Comm_free(&communicator);
  // The last messages of a non-blocking barrier may still be under way. MPICH over UCX can hang in
  // MPI_Finalize then: the receiver already waits there for all processes, and takes nothing in.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  while (free_requests != NULL) {
    struct request* request = free_requests;
    free_requests = request->next_free;
    free(request);
  }
}

static void library(char* text, int size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = '\0';
  snprintf(text, (size_t)size, "%s", version);
}

static void* send_bytes(int process, int tag, const void* data, int bytes) {
  struct request* request = new_request();
  check(MPI_Isend(data, bytes, MPI_BYTE, process, tag, communicator_of(tag), &request->mpi), "MPI_Isend");
  return request;
}

static void* send_now(int process, int tag, const void* data, int bytes) {
  MPI_Request sent;
  int done;
  check(MPI_Isend(data, bytes, MPI_BYTE, process, tag, communicator_of(tag), &sent), "MPI_Isend");
  check(MPI_Test(&sent, &done, MPI_STATUS_IGNORE), "MPI_Test");
  if (done) return NULL;
  struct request* request = new_request();
  request->mpi = sent;
  return request;
}

static void* receive_bytes(int process, int tag, void* buffer, int capacity) {
  struct request* request = new_request();
  const int source = process == TAIHU_SHIM_ANY_PROCESS ? MPI_ANY_SOURCE : process;
  check(MPI_Irecv(buffer, capacity, MPI_BYTE, source, tag, communicator_of(tag), &request->mpi), "MPI_Irecv");
  return request;
}

static int test(void* handle, struct taihu_shim_status* status) {
  struct request* request = handle;
  MPI_Status mpi_status;
  int done;
  check(MPI_Test(&request->mpi, &done, &mpi_status), "MPI_Test");
  if (!done) return 0;
  if (status != NULL) {
    status->process = mpi_status.MPI_SOURCE;
    status->tag = mpi_status.MPI_TAG;
    MPI_Get_count(&mpi_status, MPI_BYTE, &status->bytes);
  }
  release(request);
  return 1;
}

static void cancel(void* handle) {
  struct request* request = handle;
  MPI_Cancel(&request->mpi);
  MPI_Request_free(&request->mpi);
  release(request);
}

static void barrier(void) {
  MPI_Request request;
  check(MPI_Ibarrier(communicator, &request), "MPI_Ibarrier");
  wait_for(&request, "MPI_Ibarrier");
}

static void gather_sizes(int mine, int* sizes) {
  MPI_Request request;
  check(MPI_Iallgather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, communicator, &request), "MPI_Iallgather");
  wait_for(&request, "MPI_Iallgather");
}

static void gather_bytes(const void* mine, int bytes, void* all, const int* sizes, const int* offsets) {
  MPI_Request request;
  check(MPI_Iallgatherv(mine, bytes, MPI_BYTE, all, sizes, offsets, MPI_BYTE, communicator, &request),
        "MPI_Iallgatherv");
  wait_for(&request, "MPI_Iallgatherv");
}

static void end_job(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

__attribute__((visibility("default"))) const struct taihu_shim* taihu_mpi_shim(void) {
  static const struct taihu_shim shim = {
      TAIHU_SHIM_VERSION, start,         stop,    library, send_bytes,
      send_now,           receive_bytes, test,    cancel,  barrier,
      gather_sizes,       gather_bytes,  end_job,
  };
  return &shim;
}
