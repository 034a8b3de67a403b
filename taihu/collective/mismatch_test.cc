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
    EXPECT_EQ(allreduce(handle, data.data(), result.data(), count, M_INT, M_SUM), M_ERROR_ARGUMENT);
    if (handle.rank() != 1) return;
    EXPECT_EQ(handle.problem(),
              "rank 1 calls allreduce of 4 bytes type 5 operation 0 while rank 0 calls allreduce of 8000 "
              "bytes type 5 "
              "operation 0; all members must make the same call");
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

TEST(Mismatch, BetweenNodeProcessesIsATruncation) {
  TestJob job(Transport::twin, 2, 2, 1);
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), launch::Scope::all);
    std::vector<std::byte> data(100);
    EXPECT_EQ(bcast(handle, data.data(), rank == 0 ? 100 : 50, 0), rank == 0 ? M_SUCCESS : M_ERROR_TRUNCATE);
  });
}

}  // namespace
}  // namespace taihu::collective
