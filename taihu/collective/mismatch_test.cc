// SPDX-License-Identifier: Apache-2.0
// Calls of members that do not fit together end with an error on all who can see it, and the group stays
// usable.
#include <gtest/gtest.h>

#include "taihu/collective/collectives.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {
namespace {

// Runs body(handle) on the ranks of one node process of two ranks.
template <class Body>
void run_pair(Body&& body) {
  for (const int cores : {1, 64}) {
    TestJob job(Transport::twin, 2, 1, cores);
    job.run([&](int rank) {
      GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
      body(handle);
      int sum = 0;  // and the group still works
      const int one = 1;
      EXPECT_EQ(allreduce(handle, &one, &sum, 1, M_INT, M_SUM), M_SUCCESS);
      EXPECT_EQ(sum, 2);
    });
  }
}

TEST(Mismatch, OfCountsNamesBothRanks) {
  run_pair([](GroupHandle& handle) {
    std::vector<int> data(2000, 1);
    std::vector<int> result(2000, -1);
    const long count = handle.rank() == 0 ? 2000 : 1;  // long here, short there
    EXPECT_EQ(allreduce(handle, data.data(), result.data(), count, M_INT, M_SUM), M_ERROR_TRUNCATE);
    if (handle.rank() != 1) return;
    EXPECT_EQ(handle.problem(),
              "rank 1 calls allreduce of 4 bytes M_SUM of M_INT while rank 0 calls allreduce of 8000 bytes "
              "M_SUM of M_INT; all members must make the same call");
    EXPECT_EQ(result, std::vector<int>(2000, -1));
  });
}

TEST(Mismatch, OfRootsOperationsAndCallsIsSeen) {
  run_pair([](GroupHandle& handle) {
    std::vector<int> data(2000, 1);
    std::vector<int> result(2000, -1);
    EXPECT_EQ(reduce(handle, data.data(), result.data(), 2000, M_INT, M_SUM, handle.rank()),
              M_ERROR_ARGUMENT);
    const m_op_t op = handle.rank() == 0 ? M_SUM : M_MAX;
    EXPECT_EQ(allreduce(handle, data.data(), result.data(), 2, M_INT, op), M_ERROR_ARGUMENT);
    const int code =
        handle.rank() == 0 ? barrier(handle) : scan(handle, data.data(), result.data(), 1, M_INT, M_SUM);
    EXPECT_EQ(code, M_ERROR_ARGUMENT);
  });
}

// Who has nothing to move waits for nobody; the others must not wait for it.
TEST(Mismatch, WithNothingIsSeen) {
  run_pair([](GroupHandle& handle) {
    std::vector<int> source(4, 1), result(4);
    const std::size_t bytes = handle.rank() == 0 ? 0 : sizeof(int);
    const int told = handle.rank() == 0 ? M_SUCCESS : M_ERROR_TRUNCATE;
    EXPECT_EQ(alltoall(handle, source.data(), result.data(), bytes), told);
    EXPECT_EQ(allgather(handle, source.data(), result.data(), bytes), told);
    EXPECT_EQ(bcast(handle, source.data(), bytes, 0), told);
    EXPECT_EQ(scatter(handle, source.data(), result.data(), bytes, 0), told);
    EXPECT_EQ(gather(handle, source.data(), result.data(), bytes, 1), told);
    EXPECT_EQ(barrier(handle), M_SUCCESS);
  });
}

TEST(Mismatch, OfAlltoallvCountsIsATruncation) {
  run_pair([](GroupHandle& handle) {
    const int source[4] = {1, 2, 3, 4};
    int result[4] = {};
    const long out[2] = {2, 2};
    const long in[2] = {handle.rank() == 0 ? 2 : 1, 2};  // rank 1 expects one element of rank 0
    const long starts[2] = {0, 2};
    const int code = alltoallv(handle, source, out, starts, result, in, starts, sizeof(int));
    EXPECT_EQ(code, handle.rank() == 0 ? M_SUCCESS : M_ERROR_TRUNCATE);
  });
}

TEST(Mismatch, OfRootsOfShortCallsIsSeenByTheNextCallInWhichAllWait) {
  run_pair([](GroupHandle& handle) {
    int value = handle.rank();
    EXPECT_EQ(bcast(handle, &value, sizeof value, handle.rank()), M_SUCCESS);  // nobody waits
    EXPECT_EQ(barrier(handle), M_ERROR_ARGUMENT);
    const std::string me = std::to_string(handle.rank());
    const std::string other = std::to_string(1 - handle.rank());
    EXPECT_EQ(handle.problem(), "rank " + me + " called bcast root " + me + " of 4 bytes while rank " +
                                    other + " called bcast root " + other +
                                    " of 4 bytes, 1 call ago; all members must make the same call");
  });
}

TEST(Mismatch, OfCallsLongAgoIsStillSeen) {
  run_pair([](GroupHandle& handle) {
    const int me = handle.rank();
    int value = me;
    int both[2] = {};
    EXPECT_EQ(gather(handle, &value, nullptr, sizeof value, 1 - me), M_SUCCESS);  // two leaves, no root
    for (int k = 0; k < 10; ++k) {  // only the root can see it, and is told once
      const int code = me == 0 && k == 0 ? M_ERROR_ARGUMENT : M_SUCCESS;
      EXPECT_EQ(gather(handle, &value, both, sizeof value, 0), code);
    }
    EXPECT_EQ(barrier(handle), M_SUCCESS);
  });
}

// Those who had not to wait learn of it only when they meet the others again; by then somebody was told.
TEST(Mismatch, ThatWasToldDoesNotSpoilTheCallsThatFollow) {
  run_pair([](GroupHandle& handle) {
    const int me = handle.rank();
    std::vector<std::byte> data(8);
    for (int k = 0; k < 3; ++k) {
      const int code = bcast(handle, data.data(), me == 0 ? 8 : 4, 0);
      EXPECT_EQ(code, me == 0 ? M_SUCCESS : M_ERROR_TRUNCATE);
    }
    const int one = 1;
    int sum = 0;
    EXPECT_EQ(reduce(handle, &one, &sum, 1, M_INT, M_SUM, 0), M_SUCCESS);
    EXPECT_EQ(sum, me == 0 ? 2 : 0);
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(reduce(handle, &one, &sum, 1, M_INT, M_SUM, 0), M_SUCCESS);
      EXPECT_EQ(bcast(handle, data.data(), 8, 0), M_SUCCESS);
    }
    EXPECT_EQ(barrier(handle), M_SUCCESS);
    // And a new one is told.
    EXPECT_EQ(allreduce(handle, &one, &sum, 1, M_INT, me == 0 ? M_SUM : M_MAX), M_ERROR_ARGUMENT);
  });
}

TEST(Mismatch, OfLengthsInCallsWithOwnLengthsNamesBothRanks) {
  for (const std::size_t length : {40u, 20000u}) {
    run_pair([&](GroupHandle& handle) {
      const int me = handle.rank();
      std::vector<std::byte> data(2 * length);
      const std::size_t bytes[2] = {length, length - (me == 0 ? 1 : 0)};  // rank 0 expects less of rank 1
      const std::ptrdiff_t offsets[2] = {0, static_cast<std::ptrdiff_t>(length)};
      std::vector<std::byte> result(2 * length);
      EXPECT_EQ(allgatherv(handle, data.data(), length, result.data(), bytes, offsets),
                me == 0 ? M_ERROR_TRUNCATE : M_SUCCESS);
      if (me == 0) {
        EXPECT_EQ(handle.problem(), "rank 1 sends " + std::to_string(length) +
                                        " bytes in an allgatherv to rank 0, which expects " +
                                        std::to_string(length - 1) + "; the counts of both must agree");
      }
      EXPECT_EQ(gatherv(handle, data.data(), length, result.data(), bytes, offsets, 0),
                me == 0 || length > 10000 ? M_ERROR_TRUNCATE : M_SUCCESS);
      EXPECT_EQ(scatterv(handle, data.data(), bytes, offsets, result.data(), length, 0),
                me == 1 ? M_ERROR_TRUNCATE : M_SUCCESS);
    });
  }
}

// The root has told no place for a block that it expects to come with the call.
TEST(Mismatch, OfALongBlockAtARootThatExpectsShortOnesIsToldToBoth) {
  run_pair([](GroupHandle& handle) {
    const bool is_root = handle.rank() == 0;
    const std::vector<std::byte> data(20000);
    std::byte result[2] = {};
    const std::size_t bytes[2] = {1, 1};
    const std::ptrdiff_t offsets[2] = {0, 1};
    EXPECT_EQ(gatherv(handle, data.data(), is_root ? 1 : 20000, result, bytes, offsets, 0), M_ERROR_TRUNCATE);
    const std::string expected =
        "rank 1 sends 20000 bytes in a gatherv to rank 0, which expects " +
        (is_root ? "1" : "at most " + std::to_string(handle.board().inline_bytes_gathered_to_one())) +
        "; the counts of both must agree";
    EXPECT_EQ(handle.problem(), expected);
    EXPECT_EQ(barrier(handle), M_SUCCESS);
  });
}

TEST(Mismatch, OfReductionsIsNamedByTheLanguage) {
  TestJob job(Transport::twin, 2, 1, 64);
  job.groups_of(0).name_reductions([](std::uint32_t code) { return "operation " + std::to_string(code); });
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    Reduction reduction = *find_reduction(M_INT, M_SUM);
    reduction.code = static_cast<std::uint32_t>(70 + rank);
    int value = 1;
    // Member 0 waits for nobody.
    EXPECT_EQ(exscan(handle, &value, &value, 1, reduction), rank == 0 ? M_SUCCESS : M_ERROR_ARGUMENT);
    if (rank == 1) {
      EXPECT_EQ(handle.problem(),
                "rank 1 calls exscan of 4 bytes operation 71 while rank 0 calls exscan of 4 bytes operation "
                "70; all members must make the same call");
    }
    EXPECT_EQ(barrier(handle), M_SUCCESS);  // one was told, which is enough
    reduction.code = rank == 0 ? 0 : 71;    // unknown fits to everything
    EXPECT_EQ(scan(handle, &value, &value, 1, reduction), M_SUCCESS);
  });
}

TEST(Mismatch, WithNothingIsSeenBetweenNodeProcesses) {
  TestJob job(Transport::twin, 4, 2, 1);
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    const int mine[4] = {1, 1, 1, 1};
    int got[4] = {};
    const std::size_t bytes = rank < 2 ? 0 : sizeof(int);
    const long count = rank < 2 ? 0 : 1;
    const auto told = [&](int code) { return rank < 2 || code == M_ERROR_TRUNCATE; };
    EXPECT_TRUE(told(alltoall(handle, mine, got, bytes)));
    EXPECT_TRUE(told(allgather(handle, mine, got, bytes)));
    EXPECT_TRUE(told(bcast(handle, got, bytes, 0)));
    EXPECT_TRUE(told(scatter(handle, mine, got, bytes, 0)));
    EXPECT_TRUE(told(allreduce(handle, mine, got, count, M_INT, M_SUM)));
    EXPECT_TRUE(told(scan(handle, mine, got, count, M_INT, M_SUM)));
    EXPECT_EQ(barrier(handle), M_SUCCESS);
    EXPECT_EQ(allreduce(handle, mine, got, 1, M_INT, M_SUM), M_SUCCESS);
    EXPECT_EQ(got[0], 4);
  });
}

TEST(Mismatch, BetweenNodeProcessesIsATruncation) {
  TestJob job(Transport::twin, 2, 2, 1);
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    std::vector<std::byte> data(100);
    EXPECT_EQ(bcast(handle, data.data(), rank == 0 ? 100 : 50, 0), rank == 0 ? M_SUCCESS : M_ERROR_TRUNCATE);
  });
}

// A leader whose neighbour does not fit has no data for the other node processes, and they see it.
TEST(Mismatch, OfALeadersNeighbourIsSeenByOtherNodeProcesses) {
  for (const std::size_t count : {10u, 5000u}) {
    TestJob job(Transport::twin, 4, 2, 1);
    job.run([&](int rank) {
      GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
      const Reduction sum = *find_reduction(M_INT, M_SUM);
      const std::size_t mine = rank == 3 ? count / 2 : count, bytes = mine * sizeof(int);
      const std::vector<std::size_t> lengths(4, count * sizeof(int)), counts(4, mine);
      std::vector<std::ptrdiff_t> offsets;
      for (std::size_t k = 0; k < 4; ++k) offsets.push_back(static_cast<std::ptrdiff_t>(k * lengths[k]));
      const std::vector<int> source(4 * count, 1);
      std::vector<int> result(4 * count);
      const auto expect_told = [&](const char* call, int far_ranks, int code) {
        if (rank < far_ranks) {
          EXPECT_EQ(code, M_ERROR_TRUNCATE) << call << " of " << count << ", rank " << rank;
        }
        int total = 0;
        const int one = 1;
        for (int k = 0; k < 2; ++k) allreduce(handle, &one, &total, 1, M_INT, M_SUM);
        EXPECT_EQ(allreduce(handle, &one, &total, 1, M_INT, M_SUM), M_SUCCESS);
        EXPECT_EQ(total, 4);
      };
      const void* from = source.data();
      void* to = result.data();
      expect_told("gather", 1, gather(handle, from, to, bytes, 0));
      expect_told("allgather", 2, allgather(handle, from, to, bytes));
      expect_told("allgatherv", 2, allgatherv(handle, from, bytes, to, lengths.data(), offsets.data()));
      expect_told("reduce", 1, reduce(handle, from, to, mine, sum, 0));
      expect_told("allreduce", 2, allreduce(handle, from, to, mine, sum));
      expect_told("reduce_scatter", 2, reduce_scatter(handle, from, to, counts.data(), sum));
      // Through the first member, which scatters nothing.
      Reduction ordered = sum;
      ordered.commutative = false;
      const std::vector<int> mixed_ranks = {0, 2, 1, 3};
      GroupHandle mixed = job.groups_of(rank).join(job.endpoint(rank), first_free_context, mixed_ranks);
      expect_told("ordered reduce_scatter", 3, reduce_scatter(mixed, from, to, counts.data(), ordered));
    });
  }
}

// The same sum of lengths, divided in another way.
TEST(Mismatch, OfTheLengthsOfAReduceScatterOfTwoIsTold) {
  const Reduction sum = *find_reduction(M_DOUBLE, M_SUM);
  TestJob job(Transport::twin, 2, 1, 64);
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    const std::vector<double> source(64, 1);
    std::vector<double> result(64);
    for (int k = 0; k < 3; ++k) {
      const std::size_t less = k == 1 ? 4 : 32;
      const std::vector<std::size_t> counts =
          rank == 0 ? std::vector<std::size_t>{64 - less, less} : std::vector<std::size_t>{less, 64 - less};
      const int code = reduce_scatter(handle, source.data(), result.data(), counts.data(), sum);
      EXPECT_EQ(code, k == 1 ? M_ERROR_TRUNCATE : M_SUCCESS) << "call " << k;
      if (k == 1) {
        EXPECT_NE(handle.problem().find("in a reduce_scatter"), std::string::npos);
      }
    }
  });
}

// The others agree with each other but not with the root: those who get data second hand must see it too.
TEST(Mismatch, WithADistantRootIsSeenByAll) {
  for (const std::size_t others : {50u, 200u}) {
    TestJob job(Transport::twin, 8, 4, 1);
    job.run([&](int rank) {
      GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
      std::vector<std::byte> data(200);
      const int code = bcast(handle, data.data(), rank < 2 ? 100 : others, 0);
      EXPECT_EQ(code, rank < 2 ? M_SUCCESS : M_ERROR_TRUNCATE) << rank;
      EXPECT_EQ(handle.problem().empty(), rank < 2);
      int sum = 0;
      const int one = 1;
      EXPECT_EQ(allreduce(handle, &one, &sum, 1, M_INT, M_SUM), M_SUCCESS);
      EXPECT_EQ(sum, 8);
    });
  }
}

}  // namespace
}  // namespace taihu::collective
