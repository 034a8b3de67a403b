// SPDX-License-Identifier: Apache-2.0
// Neighbourhoods of odd shapes: several edges between two ranks and to oneself, neighbours whose edges others
// have told, grids of one and two ranks in a dimension, and no neighbours at all. What a rank sends along an
// edge tells who it is, for whom, and which of their edges it is.
#include "check.h"

enum { most_edges = 512, most_ranks = 64 };

static int word_of(int from, int to, int number) {
  return from * 10000 + to * 100 + number;
}

// So many edges from one rank to another; some have none, all have more to themselves.
static int edges_between(int from, int to, int round) {
  return (from + to + round) % 3 + (from == to ? 2 : 0);
}

static void check_words(const int* got, const int* sources, int degree, const char* seen_by) {
  int seen[most_ranks] = {0};
  for (int i = 0; i < degree; ++i) {
    const int expected = word_of(sources[i], rank, seen[sources[i]]++);
    if (got[i] != expected) fprintf(stderr, "%s: %d instead of %d\n", seen_by, got[i], expected);
    CHECK(got[i] == expected);
  }
}

static void give_words(int* words, const int* destinations, int degree) {
  int seen[most_ranks] = {0};
  for (int i = 0; i < degree; ++i) words[i] = word_of(rank, destinations[i], seen[destinations[i]]++);
}

// Of each edge as many words as its number modulo 3, four places apart.
static void unequal_blocks(MPI_Comm graph, const int* sources, int in, const int* destinations, int out) {
  static int send[4 * most_edges], receive[4 * most_edges];
  int counts[2][most_edges], places[2][most_edges], seen[2][most_ranks] = {{0}};
  MPI_Request request;
  for (int i = 0; i < out; ++i) {
    const int number = seen[0][destinations[i]]++;
    counts[0][i] = number % 3;
    places[0][i] = 4 * i;
    for (int k = 0; k < 4; ++k) send[4 * i + k] = word_of(rank, destinations[i], 10 * number + k);
  }
  for (int i = 0; i < in; ++i) {
    counts[1][i] = seen[1][sources[i]]++ % 3;
    places[1][i] = 4 * i;
  }
  memset(receive, 0xff, sizeof receive);
  MPI_Ineighbor_alltoallv(send, counts[0], places[0], MPI_INT, receive, counts[1], places[1], MPI_INT, graph,
                          &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < in; ++i) {
    const int number = seen[1][sources[i]]++;
    for (int k = 0; k < 4; ++k)
      CHECK(receive[4 * i + k] == (k < number % 3 ? word_of(sources[i], rank, 10 * number + k) : -1));
  }
}

static void several_edges(int round) {
  static int sources[most_edges], destinations[most_edges], words[most_edges], got[most_edges];
  int in = 0, out = 0;
  for (int peer = 0; peer < ranks; ++peer)
    for (int k = 0; k < edges_between(rank, peer, round); ++k) destinations[out++] = peer;
  for (int peer = ranks - 1; peer >= 0; --peer)
    for (int k = 0; k < edges_between(peer, rank, round); ++k) sources[in++] = peer;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, destinations,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  give_words(words, destinations, out);
  MPI_Neighbor_alltoall(words, 1, MPI_INT, got, 1, MPI_INT, graph);
  check_words(got, sources, in, "MPI_Neighbor_alltoall");
  MPI_Request requests[2];
  int ranks_seen[most_edges];
  memset(got, 0xff, sizeof got);
  MPI_Ineighbor_alltoall(words, 1, MPI_INT, got, 1, MPI_INT, graph, &requests[0]);
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, ranks_seen, 1, MPI_INT, graph, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check_words(got, sources, in, "MPI_Ineighbor_alltoall");
  for (int i = 0; i < in; ++i) CHECK(ranks_seen[i] == sources[i]);
  unequal_blocks(graph, sources, in, destinations, out);
  MPI_Comm_free(&graph);
}

// Each rank tells the edges of the next one: to all ranks, to itself and to rank 0 once more.
static void told_by_others(void) {
  int owner = (rank + 1) % ranks, degree = 0, targets[most_ranks + 2], in, out, weighted;
  for (int peer = 0; peer < ranks; ++peer) targets[degree++] = peer;
  targets[degree++] = owner;
  targets[degree++] = 0;
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &owner, &degree, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK(out == ranks + 2 && in == ranks + 1 + (rank == 0 ? ranks : 0) && !weighted);
  static int sources[most_edges], destinations[most_edges], words[most_edges], got[most_edges];
  MPI_Dist_graph_neighbors(graph, in, sources, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED);
  give_words(words, destinations, out);
  MPI_Neighbor_alltoall(words, 1, MPI_INT, got, 1, MPI_INT, graph);
  check_words(got, sources, in, "edges told by others");
  MPI_Comm_free(&graph);
}

// What is sent down arrives from above, also where both neighbours are the same rank.
static void grids(int periodic) {
  const int dimensions[2] = {ranks, 1}, periods[2] = {periodic, 1};
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  const int has_left = periodic || rank > 0, has_right = periodic || rank + 1 < ranks;
  const int expected[4] = {has_left ? 10 * left + 1 : -5, has_right ? 10 * right : -5, 10 * rank + 3,
                           10 * rank + 2};
  int words[4], got[4] = {-5, -5, -5, -5}, later[4] = {-5, -5, -5, -5};
  for (int k = 0; k < 4; ++k) words[k] = 10 * rank + k;
  MPI_Comm grid;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
  MPI_Neighbor_alltoall(words, 1, MPI_INT, got, 1, MPI_INT, grid);
  MPI_Ineighbor_alltoall(words, 1, MPI_INT, later, 1, MPI_INT, grid, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int k = 0; k < 4; ++k) CHECK(got[k] == expected[k] && later[k] == expected[k]);
  MPI_Comm_free(&grid);
}

// Who has no neighbours may have no buffer for their blocks, whatever their length.
static void nobody(void) {
  MPI_Comm alone;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &alone);
  CHECK(MPI_Neighbor_alltoall(NULL, 3, MPI_INT, NULL, 3, MPI_INT, alone) == MPI_SUCCESS);
  CHECK(MPI_Neighbor_allgather(&rank, 1, MPI_INT, NULL, 1, MPI_INT, alone) == MPI_SUCCESS);
  MPI_Comm_free(&alone);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 6; ++round) several_edges(round);
  told_by_others();
  grids(0);
  grids(1);
  nobody();
  return end("neighbourhoods");
}
