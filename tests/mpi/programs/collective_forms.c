// SPDX-License-Identifier: Apache-2.0
// Every collective in its three forms, blocking, non-blocking and persistent (started twice), with equal and
// unequal blocks, some of them empty. Element i of what rank `from` sends to rank `to` is value(from, to, i).
#include "check.h"

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static enum form form;
static MPI_Request request;

/* The call of the form that is tested, to its end. */
#define RUN(name, small_name, ...)                                                   \
  do {                                                                               \
    if (form == BLOCKING) MPI_##name(__VA_ARGS__);                                   \
    if (form == NONBLOCKING) MPI_I##small_name(__VA_ARGS__, &request);               \
    if (form == PERSISTENT) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
    if (form != BLOCKING) complete();                                                \
  } while (0)

static void complete(void) {
  if (form == PERSISTENT) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (form == PERSISTENT) MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
}

#define EQUAL 5
#define GAP 9
static int *out, *in;
static count_type *counts, *in_counts;
static displacement_type *places, *byte_places, *in_places, *in_byte_places;
static MPI_Datatype* types;

static int value(int from, int to, int i) {
  return from * 10000 + to * 100 + i;
}
/* Elements from one rank to another where blocks differ; 0 for some. */
static int count_of(int from, int to) {
  return (from + 2 * to) % 4;
}
static void forget(void) {
  for (int i = 0; i < ranks * GAP; ++i) in[i] = -1;
}
static void put_block(int at, int to, int count) {
  for (int i = 0; i < count; ++i) out[at + i] = value(rank, to, i);
}
static void check_block(int at, int from, int to, int count) {
  for (int i = 0; i < count; ++i) CHECK(in[at + i] == value(from, to, i));
}
static void check_gap(int at, int count) {
  for (int i = count; i < GAP; ++i) CHECK(in[at + i] == -1);
}

static void rooted(int root) {
  int me = rank == root;
  if (me) put_block(0, 0, EQUAL);
  for (int i = 0; i < EQUAL; ++i) in[i] = me ? value(root, 0, i) : -1;
  RUN(Bcast, bcast, in, EQUAL, MPI_INT, root, MPI_COMM_WORLD);
  check_block(0, root, 0, EQUAL);

  forget();
  put_block(0, root, EQUAL);
  RUN(Gather, gather, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, root, MPI_COMM_WORLD);
  for (int k = 0; me && k < ranks; ++k) check_block(k * EQUAL, k, root, EQUAL);

  forget();
  for (int k = 0; k < ranks; ++k) counts[k] = count_of(k, root), places[k] = k * GAP;
  RUN(Gatherv, gatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD);
  for (int k = 0; me && k < ranks; ++k)
    check_block(k * GAP, k, root, counts[k]), check_gap(k * GAP, counts[k]);

  forget();
  for (int k = 0; k < ranks; ++k) put_block(k * EQUAL, k, EQUAL);
  RUN(Scatter, scatter, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, root, MPI_COMM_WORLD);
  check_block(0, root, rank, EQUAL);

  forget();
  for (int k = 0; k < ranks; ++k) counts[k] = count_of(root, k), put_block(k * GAP, k, counts[k]);
  RUN(Scatterv, scatterv, out, counts, places, MPI_INT, in, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
  check_block(0, root, rank, counts[rank]);
  check_gap(0, counts[rank]);

  forget();
  put_block(0, 0, EQUAL);
  RUN(Reduce, reduce, out, in, EQUAL, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  for (int i = 0; me && i < EQUAL; ++i) CHECK(in[i] == ranks * (ranks - 1) / 2 * 10000 + ranks * i);
}

static void among_all(void) {
  forget();
  put_block(0, 0, EQUAL);
  RUN(Allgather, allgather, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) check_block(k * EQUAL, k, 0, EQUAL);

  forget();
  for (int k = 0; k < ranks; ++k) counts[k] = count_of(k, 0), places[k] = k * GAP;
  RUN(Allgatherv, allgatherv, out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) check_block(k * GAP, k, 0, counts[k]), check_gap(k * GAP, counts[k]);

  forget();
  for (int k = 0; k < ranks; ++k) put_block(k * EQUAL, k, EQUAL);
  RUN(Alltoall, alltoall, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) check_block(k * EQUAL, k, rank, EQUAL);

  for (int k = 0; k < ranks; ++k) {
    counts[k] = count_of(rank, k), in_counts[k] = count_of(k, rank);
    places[k] = in_places[k] = k * GAP;
    byte_places[k] = in_byte_places[k] = k * GAP * (int)sizeof(int);
    types[k] = MPI_INT;
    put_block(k * GAP, k, counts[k]);
  }
  forget();
  RUN(Alltoallv, alltoallv, out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) {
    check_block(k * GAP, k, rank, in_counts[k]);
    check_gap(k * GAP, in_counts[k]);
  }
  forget();
  RUN(Alltoallw, alltoallw, out, counts, byte_places, types, in, in_counts, in_byte_places, types,
      MPI_COMM_WORLD);
  for (int k = 0; k < ranks; ++k) {
    check_block(k * GAP, k, rank, in_counts[k]);
    check_gap(k * GAP, in_counts[k]);
  }
}

static void reductions(void) {
  int sum_of_ranks = ranks * (ranks - 1) / 2;
  put_block(0, 0, EQUAL);
  RUN(Allreduce, allreduce, out, in, EQUAL, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < EQUAL; ++i) CHECK(in[i] == sum_of_ranks * 10000 + ranks * i);
  RUN(Scan, scan, out, in, EQUAL, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < EQUAL; ++i) CHECK(in[i] == rank * (rank + 1) / 2 * 10000 + (rank + 1) * i);
  forget();
  RUN(Exscan, exscan, out, in, EQUAL, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; rank > 0 && i < EQUAL; ++i) CHECK(in[i] == rank * (rank - 1) / 2 * 10000 + rank * i);

  for (int k = 0; k < ranks; ++k) put_block(k * EQUAL, k, EQUAL);
  forget();
  RUN(Reduce_scatter_block, reduce_scatter_block, out, in, EQUAL, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < EQUAL; ++i) CHECK(in[i] == sum_of_ranks * 10000 + ranks * (rank * 100 + i));
  check_gap(0, EQUAL);
  for (int k = 0, at = 0; k < ranks; at += counts[k++]) counts[k] = k % 4, put_block(at, k, counts[k]);
  forget();
  RUN(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < counts[rank]; ++i) CHECK(in[i] == sum_of_ranks * 10000 + ranks * (rank * 100 + i));
  check_gap(0, counts[rank]);
  if (form == BLOCKING) MPI_Barrier(MPI_COMM_WORLD);
  if (form == NONBLOCKING) MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (form == PERSISTENT) MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (form != BLOCKING) complete();
}

/* Everybody sends along edge 0 to the next rank and along edge 1 to the one behind it. */
static void neighbors(void) {
  enum { EDGES = 2 };
  int to[EDGES], from[EDGES];
  count_type sizes[EDGES] = {1, 3};
  displacement_type at[EDGES] = {0, GAP};
  MPI_Aint bytes_at[EDGES] = {0, GAP * sizeof(int)};
  MPI_Datatype kinds[EDGES] = {MPI_INT, MPI_INT};
  for (int e = 0; e < EDGES; ++e) {
    to[e] = (rank + 1 + e) % ranks;
    from[e] = (rank - 1 - e + 2 * ranks) % ranks;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, EDGES, from, MPI_UNWEIGHTED, EDGES, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  int *all_in = in, *all_out = out, room_in[EDGES * GAP], room_out[EDGES * GAP];
  in = room_in, out = room_out;

#define FORGET() \
  for (int i = 0; i < EDGES * GAP; ++i) in[i] = -1
  FORGET();
  put_block(0, 0, EQUAL);
  RUN(Neighbor_allgather, neighbor_allgather, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, graph);
  for (int e = 0; e < EDGES; ++e) check_block(e * EQUAL, from[e], 0, EQUAL);
  FORGET();
  count_type same[EDGES] = {2, 2};
  RUN(Neighbor_allgatherv, neighbor_allgatherv, out, 2, MPI_INT, in, same, at, MPI_INT, graph);
  for (int e = 0; e < EDGES; ++e) check_block(at[e], from[e], 0, 2), check_gap(at[e], 2);
  FORGET();
  for (int e = 0; e < EDGES; ++e) put_block(e * EQUAL, e, EQUAL);
  RUN(Neighbor_alltoall, neighbor_alltoall, out, EQUAL, MPI_INT, in, EQUAL, MPI_INT, graph);
  for (int e = 0; e < EDGES; ++e) check_block(e * EQUAL, from[e], e, EQUAL);
  for (int e = 0; e < EDGES; ++e) put_block(at[e], e, sizes[e]);
  FORGET();
  RUN(Neighbor_alltoallv, neighbor_alltoallv, out, sizes, at, MPI_INT, in, sizes, at, MPI_INT, graph);
  for (int e = 0; e < EDGES; ++e) check_block(at[e], from[e], e, sizes[e]), check_gap(at[e], sizes[e]);
  FORGET();
  RUN(Neighbor_alltoallw, neighbor_alltoallw, out, sizes, bytes_at, kinds, in, sizes, bytes_at, kinds, graph);
  for (int e = 0; e < EDGES; ++e) check_block(at[e], from[e], e, sizes[e]), check_gap(at[e], sizes[e]);
  in = all_in, out = all_out;
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  counts = calloc((size_t)ranks, sizeof *counts), in_counts = calloc((size_t)ranks, sizeof *in_counts);
  displacement_type** arrays[] = {&places, &byte_places, &in_places, &in_byte_places};
  for (int k = 0; k < 4; ++k) *arrays[k] = calloc((size_t)ranks, sizeof **arrays[k]);
  types = calloc((size_t)ranks, sizeof *types);
  out = calloc((size_t)ranks * GAP, sizeof *out);
  in = calloc((size_t)ranks * GAP, sizeof *in);
  for (form = BLOCKING; form < FORMS; ++form) {
    for (int root = 0; root < ranks; root += 2) rooted(root);
    among_all();
    reductions();
    neighbors();
  }
  free(counts), free(in_counts);
  for (int k = 0; k < 4; ++k) free(*arrays[k]);
  free(types);
  free(out);
  free(in);
  return end("collective_forms");
}
