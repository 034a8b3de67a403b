/* SPDX-License-Identifier: Apache-2.0
 * What a shim offers: point-to-point transfers of one MPI library behind plain C types, so that a program
 * needs neither its headers nor its symbols. Not thread-safe. Functions report failures of the library on
 * stderr and end the job. */
#ifndef TAIHU_MESSAGE_MPI_LINK_SHIM_H
#define TAIHU_MESSAGE_MPI_LINK_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

#define TAIHU_SHIM_VERSION 3
#define TAIHU_SHIM_ANY_PROCESS (-1)
/* Transfers with this tag, and no others, may be received from any process. They have a communicator of their
 * own: the library finds the match of the others sooner. */
#define TAIHU_SHIM_SHARED_TAG 1

struct taihu_shim_status {
  int process;
  int tag;
  int bytes;
};

struct taihu_shim {
  int version; /* TAIHU_SHIM_VERSION of its build */
  /* Initialises the library; the outputs are the caller's number, how many there are, the largest tag, and
   * the size up to which the library sends data without asking the receiver. */
  void (*start)(int* process, int* processes, int* tag_limit, int* unasked_bytes);
  /* Finalises; all processes call. */
  void (*stop)(void);
  /* One line without a line end, at most `size` bytes with the closing zero. */
  void (*library)(char* text, int size);
  void* (*send)(int process, int tag, const void* data, int bytes);
  /* As send; NULL when the transfer is complete already. */
  void* (*send_now)(int process, int tag, const void* data, int bytes);
  void* (*receive)(int process_or_any, int tag, void* buffer, int capacity);
  /* 1 when complete: the status (may be NULL) is filled and the request released. */
  int (*test)(void* request, struct taihu_shim_status* status);
  void (*cancel)(void* request);
  /* Collective calls wait with sleeps, so that processes that share a core get on. */
  void (*barrier)(void);
  /* `sizes` and `offsets` have an entry per process; `all` holds what they say. */
  void (*gather_sizes)(int mine, int* sizes);
  void (*gather_bytes)(const void* mine, int bytes, void* all, const int* sizes, const int* offsets);
  void (*abort)(int exit_code);
};

/* The only symbol of a shim. */
const struct taihu_shim* taihu_mpi_shim(void);

#ifdef __cplusplus
}
#endif

#endif
