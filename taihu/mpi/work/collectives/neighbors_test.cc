// SPDX-License-Identifier: Apache-2.0
// Collectives of neighbours: rings and grids where both neighbours may be the same rank or none, and graphs
// with edges of several kinds.
#include <gtest/gtest.h>

#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/work/collectives/test_trials.h"

namespace taihu::mpi::collectives {
namespace {

constexpr CallForm all_forms[] = {CallForm::blocking, CallForm::nonblocking, CallForm::persistent};

/// A ring, or (not periodic) a row, in the first dimension, and nobody but oneself in the second.
Reference<Communicator> grid(Rank& rank, bool periodic) {
  Reference<Communicator> communicator = duplicate(rank.world());
  auto topology = std::make_unique<Topology>();
  const int size = communicator->size(), me = communicator->rank;
  topology->kind = MPI_CART;
  topology->dimensions = {size, 1};
  topology->periods = {periodic ? 1 : 0, 1};
  const int down = me > 0 ? me - 1 : periodic ? size - 1 : MPI_PROC_NULL;
  const int up = me + 1 < size ? me + 1 : periodic ? 0 : MPI_PROC_NULL;
  topology->sources = topology->destinations = {down, up, me, me};
  communicator->topology = std::move(topology);
  return communicator;
}

class Grids : public testing::TestWithParam<int> {};

TEST_P(Grids, WhatGoesUpArrivesFromBelow) {
  for (const bool periodic : {true, false}) {
    run_ranks({GetParam(), GetParam() > 2 ? 2 : 1}, [&](Rank& rank) {
      const auto made = grid(rank, periodic);
      const MPI_Comm comm = handle_of<MPI_Comm>(made.get());
      const std::vector<int>& sources = made->topology->sources;
      for (const CallForm form : all_forms) {
        std::vector<int> sent, got(4, -1), got_all(4, -1);
        for (int direction = 0; direction < 4; ++direction) sent.push_back(rank.number() * 10 + direction);
        const int* const source = sent.data();
        int *const result = got.data(), *const all = got_all.data();
        TAIHU_CALL(Neighbor_alltoall, Ineighbor_alltoall, source, 1, MPI_INT, result, 1, MPI_INT);
        TAIHU_CALL(Neighbor_allgather, Ineighbor_allgather, source, 1, MPI_INT, all, 1, MPI_INT);
        for (int k = 0; k < 4; ++k) {
          const auto place = static_cast<std::size_t>(k);
          const bool nobody_there = sources[place] == MPI_PROC_NULL;
          EXPECT_EQ(got[place], nobody_there ? -1 : sources[place] * 10 + (k ^ 1)) << "from " << k;
          EXPECT_EQ(got_all[place], nobody_there ? -1 : sources[place] * 10);
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Grids, testing::Values(1, 2, 3, 6));

/// Edges from each rank: two to the next one, one to itself.
Reference<Communicator> graph(Rank& rank) {
  Reference<Communicator> communicator = duplicate(rank.world());
  auto topology = std::make_unique<Topology>();
  const int size = communicator->size(), me = communicator->rank;
  topology->kind = MPI_DIST_GRAPH;
  topology->destinations = {(me + 1) % size, me, (me + 1) % size};
  topology->sources = {me, (me + size - 1) % size, (me + size - 1) % size};
  communicator->topology = std::move(topology);
  return communicator;
}

TEST(Graphs, UnequalBlocksAndTypes) {
  run_ranks({4, 2}, [](Rank& rank) {
    const auto made = graph(rank);
    const MPI_Comm comm = handle_of<MPI_Comm>(made.get());
    const int me = rank.number(), before = (me + 3) % 4;
    for (const CallForm form : all_forms) {
      // To the next one, to oneself, to the next one again; one, two, three ints.
      const int sent[] = {me, 100 + me, 101 + me, 200 + me, 201 + me, 202 + me};
      const int counts[] = {1, 2, 3}, displacements[] = {0, 1, 3};
      const int result_counts[] = {2, 1, 3}, result_displacements[] = {4, 0, 1};
      int got[6];
      const auto expect_rows = [&] {
        const int expected[] = {before, 200 + before, 201 + before, 202 + before, 100 + me, 101 + me};
        for (int k = 0; k < 6; ++k) EXPECT_EQ(got[k], expected[k]) << k;
      };
      const int* const source = sent;
      int* const result = got;
      const int *const a = counts, *const b = displacements;
      const int *const c = result_counts, *const d = result_displacements;
      std::fill(got, got + 6, -1);
      TAIHU_CALL(Neighbor_alltoallv, Ineighbor_alltoallv, source, a, b, MPI_INT, result, c, d, MPI_INT);
      expect_rows();

      const MPI_Aint bytes[] = {0, 4, 12}, result_bytes[] = {16, 0, 4};
      const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
      const MPI_Aint *const e = bytes, *const f = result_bytes;
      const MPI_Datatype* const g = types;
      std::fill(got, got + 6, -1);
      TAIHU_CALL(Neighbor_alltoallw, Ineighbor_alltoallw, source, a, e, g, result, c, f, g);
      expect_rows();

      const int one[] = {1, 1, 1}, places[] = {5, 3, 1};
      const int *const h = one, *const i = places;
      std::fill(got, got + 6, -1);
      TAIHU_CALL(Neighbor_allgatherv, Ineighbor_allgatherv, source, 1, MPI_INT, result, h, i, MPI_INT);
      EXPECT_EQ(got[5], me);
      EXPECT_EQ(got[3], before);
      EXPECT_EQ(got[1], before);
      EXPECT_EQ(got[0], -1);
    }
  });
}

TEST(Graphs, RanksWithoutNeighbours) {
  run_ranks(2, [](Rank& rank) {
    const auto made = duplicate(rank.world());
    made->topology = std::make_unique<Topology>();
    made->topology->kind = MPI_DIST_GRAPH;
    const MPI_Comm comm = handle_of<MPI_Comm>(made.get());
    EXPECT_EQ(
        MPI_Neighbor_alltoallv(nullptr, nullptr, nullptr, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, comm),
        MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_allgather(&comm, 1, MPI_BYTE, nullptr, 0, MPI_BYTE, comm), MPI_SUCCESS);
    // The data of an empty std::vector are at null, whatever the length of a block.
    EXPECT_EQ(MPI_Neighbor_allgather(&comm, 1, MPI_BYTE, nullptr, 5, MPI_BYTE, comm), MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_alltoall(nullptr, 5, MPI_INT, nullptr, 5, MPI_INT, comm), MPI_SUCCESS);
    made->errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    EXPECT_EQ(MPI_Neighbor_alltoall(nullptr, -1, MPI_INT, nullptr, 5, MPI_INT, comm), MPI_ERR_COUNT);
  });
}

TEST(Graphs, CommunicatorsWithoutTopologyAreRefused) {
  run_ranks(1, [](Rank& rank) {
    rank.world().errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    int a = 1, b = 2;
    EXPECT_EQ(MPI_Neighbor_alltoall(&a, 1, MPI_INT, &b, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
  });
}

}  // namespace
}  // namespace taihu::mpi::collectives
