// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/mpi/objects/topologies/grid.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

using Numbers = std::vector<int>;

Numbers balanced(int nodes, Numbers dimensions) {
  balance_dimensions(nodes, dimensions);
  return dimensions;
}

int code_of(int nodes, Numbers dimensions) {
  try {
    balance_dimensions(nodes, dimensions);
  } catch (const CallError& error) {
    return error.code();
  }
  return MPI_SUCCESS;
}

TEST(dims_create, the_examples_of_the_standard) {
  EXPECT_EQ(balanced(6, {0, 0}), (Numbers{3, 2}));
  EXPECT_EQ(balanced(7, {0, 0}), (Numbers{7, 1}));
  EXPECT_EQ(balanced(6, {0, 3, 0}), (Numbers{2, 3, 1}));
  EXPECT_EQ(code_of(7, {0, 3, 0}), MPI_ERR_DIMS);
}

TEST(dims_create, is_balanced) {
  EXPECT_EQ(balanced(1, {0, 0, 0}), (Numbers{1, 1, 1}));
  EXPECT_EQ(balanced(16, {0, 0, 0}), (Numbers{4, 2, 2}));
  EXPECT_EQ(balanced(36, {0, 0, 0}), (Numbers{4, 3, 3}));
  EXPECT_EQ(balanced(72, {0, 0, 0}), (Numbers{6, 4, 3}));
  EXPECT_EQ(balanced(1024, {0, 4, 0}), (Numbers{16, 4, 16}));
  EXPECT_EQ(balanced(2147483647, {0, 0}), (Numbers{2147483647, 1})) << "a prime";
  EXPECT_EQ(balanced(1 << 30, Numbers(30)), Numbers(30, 2));
  EXPECT_EQ(balanced(1102701600, {0, 0, 0, 0}).size(), 4u) << "many divisors";
}

TEST(dims_create, largest_and_smallest_are_as_close_as_can_be) {
  EXPECT_EQ(balanced(7488, {0, 0, 0}), (Numbers{26, 18, 16})) << "not 24 x 24 x 13";
  EXPECT_EQ(balanced(34425, {0, 0, 0}), (Numbers{51, 27, 25}));
  EXPECT_EQ(balanced(10800, {0, 0, 0}), (Numbers{27, 20, 20})) << "as close as 25 x 24 x 18";
}

TEST(dims_create, products_are_right) {
  for (int nodes = 1; nodes <= 300; ++nodes) {
    for (std::size_t count = 1; count <= 5; ++count) {
      const Numbers dimensions = balanced(nodes, Numbers(count));
      EXPECT_EQ(points_of(dimensions), nodes);
      EXPECT_TRUE(std::is_sorted(dimensions.rbegin(), dimensions.rend()));
    }
  }
}

TEST(dims_create, refuses_the_impossible) {
  EXPECT_EQ(code_of(0, {0}), MPI_ERR_DIMS);
  EXPECT_EQ(code_of(4, {-1, 0}), MPI_ERR_DIMS);
  EXPECT_EQ(code_of(4, {2}), MPI_ERR_DIMS);
  EXPECT_EQ(code_of(4, {2, 2}), MPI_SUCCESS);
}

TEST(grid, coordinates_and_ranks_are_inverse) {
  Topology grid;
  grid.dimensions = {3, 4, 2};
  grid.periods = {0, 1, 0};
  for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(rank_at(grid, coordinates_of(grid, rank)), rank);
  EXPECT_EQ(coordinates_of(grid, 13), (Numbers{1, 2, 1}));
  EXPECT_EQ(rank_at(grid, Numbers{0, -1, 0}), 6);
  EXPECT_EQ(rank_at(grid, Numbers{0, 9, 0}), 2);
  EXPECT_EQ(rank_at(grid, Numbers{3, 0, 0}), MPI_PROC_NULL);
  EXPECT_EQ(shifted(grid, 0, 1, -5), 6);
  EXPECT_EQ(shifted(grid, 0, 0, -1), MPI_PROC_NULL);
  EXPECT_EQ(shifted(grid, 0, 1, 2147483647), 6);
  EXPECT_EQ(grid_neighbours(grid, 0), (Numbers{MPI_PROC_NULL, 8, 6, 2, MPI_PROC_NULL, 1}));
}

TEST(grid, calls) {
  run_ranks({7, 2}, [](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int dims[] = {2, 3}, periods[] = {0, 5};
    MPI_Comm grid;
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid), MPI_SUCCESS);
    if (rank.number() == 6) {
      EXPECT_EQ(grid, MPI_COMM_NULL);
      return;
    }
    int status, got[2], loops[2], coordinates[2], before, behind, found;
    MPI_Topo_test(grid, &status);
    EXPECT_EQ(status, MPI_CART);
    MPI_Cart_get(grid, 2, got, loops, coordinates);
    EXPECT_EQ(got[1], 3);
    EXPECT_EQ(loops[1], 1);
    EXPECT_EQ(coordinates[0], rank.number() / 3);
    MPI_Cart_shift(grid, 1, 1, &before, &behind);
    EXPECT_EQ(behind, rank.number() / 3 * 3 + (rank.number() + 1) % 3);
    MPI_Cart_shift(grid, 0, 1, &before, &behind);
    EXPECT_EQ(before, rank.number() < 3 ? MPI_PROC_NULL : rank.number() - 3);
    MPI_Cart_rank(grid, coordinates, &found);
    EXPECT_EQ(found, rank.number());
    MPI_Comm row, copy, point;
    const int keep_last[] = {0, 1}, keep_none[] = {0, 0};
    ASSERT_EQ(MPI_Cart_sub(grid, keep_last, &row), MPI_SUCCESS);
    MPI_Comm_rank(row, &found);
    EXPECT_EQ(found, rank.number() % 3);
    MPI_Cart_get(row, 1, got, loops, coordinates);
    EXPECT_EQ(got[0], 3);
    ASSERT_EQ(MPI_Cart_sub(grid, keep_none, &point), MPI_SUCCESS);
    MPI_Cartdim_get(point, &found);
    EXPECT_EQ(found, 0);
    MPI_Comm_size(point, &found);
    EXPECT_EQ(found, 1);
    MPI_Comm_dup(grid, &copy);
    MPI_Cartdim_get(copy, &found);
    EXPECT_EQ(found, 2) << "duplicates have the topology";
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    const int outside[] = {2, 0};
    EXPECT_EQ(MPI_Cart_rank(grid, outside, &found), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_shift(grid, 2, 1, &before, &behind), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_coords(grid, 6, 2, coordinates), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Graphdims_get(grid, &found, &before), MPI_ERR_TOPOLOGY);
    for (MPI_Comm* each : {&grid, &row, &copy, &point}) MPI_Comm_free(each);
  });
}

TEST(grid, refuses_bad_shapes) {
  run_ranks(2, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm grid;
    const int big[] = {3}, zero[] = {0}, huge[] = {65536, 65536}, none[] = {0, 0};
    int found;
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, big, none, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, zero, none, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, huge, none, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, -1, big, none, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cartdim_get(MPI_COMM_WORLD, &found), MPI_ERR_TOPOLOGY);
    MPI_Topo_test(MPI_COMM_WORLD, &found);
    EXPECT_EQ(found, MPI_UNDEFINED);
  });
}

TEST(graph, calls) {
  run_ranks(5, [](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    // The example of MPI-3.1 section 7.5.3.
    const int index[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2};
    MPI_Comm graph;
    ASSERT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph), MPI_SUCCESS);
    int mapped;
    MPI_Graph_map(MPI_COMM_WORLD, 4, index, edges, &mapped);
    EXPECT_EQ(mapped, rank.number() < 4 ? rank.number() : MPI_UNDEFINED);
    const int falling[] = {2, 1};
    MPI_Comm none;
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 2, falling, edges, 0, &none), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 6, index, edges, 0, &none), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &none), MPI_ERR_ARG) << "an edge to 3";
    if (rank.number() == 4) {
      EXPECT_EQ(graph, MPI_COMM_NULL);
      return;
    }
    int nodes, count, neighbours[4] = {-1, -1, -1, -1};
    MPI_Graphdims_get(graph, &nodes, &count);
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(count, 6);
    MPI_Graph_neighbors_count(graph, 3, &count);
    EXPECT_EQ(count, 2);
    MPI_Graph_neighbors(graph, 3, 4, neighbours);
    EXPECT_EQ((Numbers(neighbours, neighbours + 3)), (Numbers{0, 2, -1}));
    const Numbers expected[] = {{1, 3}, {0}, {3}, {0, 2}};
    EXPECT_EQ(rank.find<Communicator>(graph)->topology->sources, expected[rank.number()]);
    MPI_Comm_free(&graph);
  });
}

TEST(dist_graph, edges_reach_both_ends) {
  for (const TestShape& shape : {TestShape(1), TestShape(4), TestShape(6, 3)}) {
    run_ranks(shape, [](Rank& rank) {
      const int size = rank.layout().ranks, me = rank.number();
      // Everybody names the edge of its neighbour to the one after that, weight 10 * source.
      const int source = (me + 1) % size, destination = (me + 2) % size, degree = 1, weight = 10 * source;
      MPI_Comm graph;
      ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, &destination, &weight,
                                      MPI_INFO_NULL, 0, &graph),
                MPI_SUCCESS);
      int in, out, weighted, from, to, in_weight, out_weight;
      MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
      EXPECT_EQ(in, 1);
      EXPECT_EQ(out, 1);
      EXPECT_EQ(weighted, 1);
      MPI_Dist_graph_neighbors(graph, 1, &from, &in_weight, 1, &to, &out_weight);
      EXPECT_EQ(from, (me + size - 1) % size);
      EXPECT_EQ(to, (me + 1) % size);
      EXPECT_EQ(in_weight, 10 * from);
      EXPECT_EQ(out_weight, 10 * me);
      MPI_Comm_free(&graph);
    });
  }
}

TEST(dist_graph, several_edges_and_none) {
  run_ranks(3, [](Rank& rank) {
    // Rank 0 names everything: 1 -> 2 twice, 1 -> 1, nothing for itself.
    const int sources[] = {1, 1}, degrees[] = {2, 1}, destinations[] = {2, 1, 2};
    MPI_Comm graph;
    ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, rank.number() == 0 ? 2 : 0, sources, degrees,
                                    destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
              MPI_SUCCESS);
    const Topology& topology = *rank.find<Communicator>(graph)->topology;
    EXPECT_FALSE(topology.weighted);
    EXPECT_EQ(topology.destinations, (rank.number() == 1 ? Numbers{2, 1, 2} : Numbers{}));
    EXPECT_EQ(topology.sources, (rank.number() == 0   ? Numbers{}
                                 : rank.number() == 1 ? Numbers{1}
                                                      : Numbers{1, 1}));
    MPI_Comm_free(&graph);
  });
}

TEST(dist_graph, adjacent_lists_are_kept_as_they_are) {
  run_ranks(3, [](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int sources[] = {2, 1}, weights[] = {5, 6}, bad[] = {3};
    MPI_Comm graph;
    ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 0, nullptr,
                                             MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 1, &graph),
              MPI_SUCCESS);
    const Topology& topology = *rank.find<Communicator>(graph)->topology;
    EXPECT_EQ(topology.sources, (Numbers{2, 1}));
    EXPECT_EQ(topology.source_weights, (Numbers{5, 6}));
    EXPECT_TRUE(topology.destinations.empty());
    MPI_Comm_free(&graph);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, bad, MPI_UNWEIGHTED, 0, nullptr,
                                             MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph),
              MPI_ERR_RANK);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, weights, 0, nullptr, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 1, &graph),
              MPI_ERR_ARG);
  });
}

}  // namespace
}  // namespace taihu::mpi
