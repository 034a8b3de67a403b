// SPDX-License-Identifier: Apache-2.0
// The calls that mpi_bench.c times, and checks of the data that they bring.
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_whole.h"

enum { window = 64 };  // messages of one stream in flight

static int rank, ranks, touch;
enum { most_bytes = 16 << 20, most_block_bytes = 1 << 20 };  // of one message; of a block for each rank
static char *out, *in;
static volatile uint64_t sink;

static void fill(char* buffer, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = (char)(seed * 31 + (int)i * 7 + (int)(i >> 8));
}

static void check(const char* test, const char* buffer, size_t bytes, int seed) {
  for (size_t i = 0; i < bytes; ++i) {
    if (buffer[i] == (char)(seed * 31 + (int)i * 7 + (int)(i >> 8))) continue;
    fprintf(stderr, "mpi_bench: %s: wrong data: rank %d, byte %zu of %zu\n", test, rank, i, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void expect(const char* test, int right) {
  if (right) return;
  fprintf(stderr, "mpi_bench: %s: wrong result on rank %d\n", test, rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void produce(size_t bytes) {
  if (touch) memset(out, (int)sink & 0x7f, bytes);
}
static void consume(size_t bytes) {
  if (touch) sink += read_whole(in, bytes);
}

// --- point to point, ranks 0 and 1; rate: the lower half sends to the upper ---

static void latency(size_t bytes) {
  if (rank == 0) {
    produce(bytes);
    MPI_Send(out, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    consume(bytes);
  } else if (rank == 1) {
    MPI_Recv(in, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    consume(bytes);
    produce(bytes);
    MPI_Send(out, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
}

static void stream(size_t bytes, int both) {
  MPI_Request requests[2 * window];
  const int half = ranks / 2;
  if (rank >= 2 * half) return;
  const int peer = rank < half ? rank + half : rank - half;
  int count = 0;
  if (both || rank >= half) {
    for (int i = 0; i < window; ++i)
      MPI_Irecv(in, (int)bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[count++]);
  }
  if (both || rank < half) {
    produce(bytes);
    for (int i = 0; i < window; ++i)
      MPI_Isend(out, (int)bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (both || rank >= half) consume(bytes);
  // The answer of the receiver.
  if (rank < half) {
    MPI_Recv(NULL, 0, MPI_BYTE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(NULL, 0, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
  }
}
static void bandwidth(size_t bytes) {
  stream(bytes, 0);
}
static void bidirectional(size_t bytes) {
  stream(bytes, 1);
}

static void check_exchange(size_t bytes) {
  const int half = ranks / 2;
  if (rank >= 2 * half) return;
  const int peer = rank < half ? rank + half : rank - half;
  fill(out, bytes, rank);
  for (int both = 0; both < 2 && !touch; ++both) {  // --touch writes other data
    memset(in, 0, bytes);
    stream(bytes, both);
    if (both || rank >= half) check("stream", in, bytes, peer);
  }
  memset(in, 0, bytes);
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, peer, 4, in, (int)bytes, MPI_BYTE, peer, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  check("exchange", in, bytes, peer);
}

// --- one-sided: rank 0 with the memory of rank 1 ---

static MPI_Win exposed;
static void put(size_t bytes) {
  if (rank != 0) return;
  MPI_Put(out, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, exposed);
  MPI_Win_flush(1, exposed);
}
static void get(size_t bytes) {
  if (rank != 0) return;
  MPI_Get(in, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, exposed);
  MPI_Win_flush(1, exposed);
}
static int64_t before_addition;
static void fetch_and_op(size_t bytes) {
  (void)bytes;
  if (rank != 0) return;
  int64_t one = 1;
  MPI_Fetch_and_op(&one, &before_addition, MPI_INT64_T, 1, 0, MPI_SUM, exposed);
  MPI_Win_flush(1, exposed);
}
static void check_one_sided(size_t bytes) {
  fill(out, bytes, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  put(bytes);
  memset(in, 0, bytes);
  get(bytes);
  if (rank == 0) check("put and get", in, bytes, 5);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void check_fetch_and_op(size_t bytes) {
  int64_t value = 41;
  memcpy(out, &value, sizeof value);
  MPI_Barrier(MPI_COMM_WORLD);
  put(bytes);
  fetch_and_op(bytes);
  get(bytes);
  memcpy(&value, in, sizeof value);
  if (rank == 0) expect("fetch_and_op", before_addition == 41 && value == 42);
  MPI_Barrier(MPI_COMM_WORLD);
}

// --- collectives; bytes are per rank, or per pair of ranks in alltoall ---

static int elements(size_t bytes) {
  return (int)(bytes / sizeof(float));
}
static void barrier(size_t bytes) {
  (void)bytes;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(size_t bytes) {
  MPI_Bcast(rank == 0 ? out : in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void reduce(size_t bytes) {
  MPI_Reduce(out, in, elements(bytes), MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
}
static void allreduce(size_t bytes) {
  MPI_Allreduce(out, in, elements(bytes), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter(size_t bytes) {
  MPI_Reduce_scatter_block(out, in, elements(bytes), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(size_t bytes) {
  MPI_Scan(out, in, elements(bytes), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static void gather(size_t bytes) {
  MPI_Gather(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatter(size_t bytes) {
  MPI_Scatter(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgather(size_t bytes) {
  MPI_Allgather(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(size_t bytes) {
  MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
// Those with a length for each member; here all have the same.
static int *counts, *displacements;
static void set_blocks(size_t bytes) {
  for (int k = 0; k < ranks; ++k) {
    counts[k] = (int)bytes;
    displacements[k] = k * (int)bytes;
  }
}
static void gatherv(size_t bytes) {
  MPI_Gatherv(out, (int)bytes, MPI_BYTE, in, counts, displacements, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void scatterv(size_t bytes) {
  MPI_Scatterv(out, counts, displacements, MPI_BYTE, in, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allgatherv(size_t bytes) {
  MPI_Allgatherv(out, (int)bytes, MPI_BYTE, in, counts, displacements, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoallv(size_t bytes) {
  (void)bytes;
  MPI_Alltoallv(out, counts, displacements, MPI_BYTE, in, counts, displacements, MPI_BYTE, MPI_COMM_WORLD);
}
static void iallreduce(size_t bytes) {
  MPI_Request request;
  MPI_Iallreduce(out, in, elements(bytes), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void check_blocks(size_t bytes) {
  const int count = elements(bytes);
  float* const values = (float*)out;
  const float* const results = (const float*)in;
  for (int i = 0; i < count * ranks; ++i) values[i] = (float)((rank + 1) * (i % 13));
  const float all = (float)(ranks * (ranks + 1) / 2);
  reduce_scatter(bytes);
  for (int i = 0; i < count; ++i)
    expect("reduce_scatter", results[i] == all * (float)((rank * count + i) % 13));
  fill(out, bytes, rank);
  allgather(bytes);
  for (int from = 0; from < ranks; ++from) check("allgather", in + (size_t)from * bytes, bytes, from);
  memset(in, 0, bytes * (size_t)ranks);
  gather(bytes);
  for (int from = 0; from < ranks && rank == 0; ++from)
    check("gather", in + (size_t)from * bytes, bytes, from);
  for (int to = 0; to < ranks; ++to) fill(out + (size_t)to * bytes, bytes, rank * ranks + to);
  alltoall(bytes);
  for (int from = 0; from < ranks; ++from)
    check("alltoall", in + (size_t)from * bytes, bytes, from * ranks + rank);
  scatter(bytes);
  check("scatter", in, bytes, rank);
}

static void check_collectives(size_t bytes) {
  const int count = elements(bytes);
  float* const values = (float*)out;
  const float* const results = (const float*)in;
  for (int i = 0; i < count; ++i) values[i] = (float)((rank + 1) * (i % 13));
  const float all = (float)(ranks * (ranks + 1) / 2), up_to_me = (float)((rank + 1) * (rank + 2) / 2);
  allreduce(bytes);
  for (int i = 0; i < count; ++i) expect("allreduce", results[i] == all * (float)(i % 13));
  memset(in, 0, bytes);
  iallreduce(bytes);
  for (int i = 0; i < count; ++i) expect("iallreduce", results[i] == all * (float)(i % 13));
  reduce(bytes);
  for (int i = 0; i < count && rank == 0; ++i) expect("reduce", results[i] == all * (float)(i % 13));
  scan(bytes);
  for (int i = 0; i < count; ++i) expect("scan", results[i] == up_to_me * (float)(i % 13));
  fill(out, bytes, 3);
  bcast(bytes);
  check("bcast", rank == 0 ? out : in, bytes, 3);
}

static void check_unequal_blocks(size_t bytes) {
  set_blocks(bytes);
  fill(out, bytes, rank);
  allgatherv(bytes);
  for (int from = 0; from < ranks; ++from) check("allgatherv", in + (size_t)from * bytes, bytes, from);
  memset(in, 0, bytes * (size_t)ranks);
  gatherv(bytes);
  for (int from = 0; from < ranks && rank == 0; ++from)
    check("gatherv", in + (size_t)from * bytes, bytes, from);
  for (int to = 0; to < ranks; ++to) fill(out + (size_t)to * bytes, bytes, rank * ranks + to);
  alltoallv(bytes);
  for (int from = 0; from < ranks; ++from)
    check("alltoallv", in + (size_t)from * bytes, bytes, from * ranks + rank);
  scatterv(bytes);
  check("scatterv", in, bytes, rank);
}
