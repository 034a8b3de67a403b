// SPDX-License-Identifier: Apache-2.0
// What collectives do with wrong arguments, and how they behave under threads and at the same time.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/work/collectives/test_buffers.h"

namespace taihu::mpi::collectives {
namespace {

void return_errors(Rank& rank) {
  rank.world().errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
}

TEST(WrongArguments, AreRefusedBeforeAnythingIsSent) {
  run_ranks(2, [](Rank& rank) {
    return_errors(rank);
    int a[4] = {1, 2, 3, 4}, b[4] = {};
    MPI_Request request;
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Bcast(a, 1, MPI_INT, 2, world), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Bcast(a, 1, MPI_INT, -1, world), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Bcast(a, -1, MPI_INT, 0, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Bcast(nullptr, 1, MPI_INT, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Ibcast(a, 1, MPI_INT, 7, world, &request), MPI_ERR_ROOT);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgather(a, 2, MPI_INT, b, 1, MPI_INT, world), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgatherv(a, 1, MPI_INT, b, nullptr, nullptr, MPI_INT, world), MPI_ERR_ARG);
    const int negative[] = {1, -1};
    EXPECT_EQ(MPI_Reduce_scatter(a, b, negative, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT);
    auto type = make_contiguous(2, *predefined_datatype(MPI_INT));
    EXPECT_EQ(MPI_Bcast(a, 1, handle_of<MPI_Datatype>(type.get()), 0, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Barrier(world), MPI_SUCCESS);
  });
}

// Nothing is sent there, and what is wrong is told all the same.
TEST(WrongArguments, OfTheOnlyMemberAreRefused) {
  run_ranks({2, 2}, [](Rank& rank) {
    return_errors(rank);
    rank.self().errors = rank.world().errors;
    int a[4] = {1, 2, 3, 4}, b[4] = {};
    MPI_Request request;
    const MPI_Comm self = MPI_COMM_SELF;
    EXPECT_EQ(MPI_Bcast(a, 1, MPI_INT, 1, self), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Bcast(nullptr, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Ibcast(a, -1, MPI_INT, 0, self, &request), MPI_ERR_COUNT);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_Gather(a, 2, MPI_INT, b, 1, MPI_INT, 0, self), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgather(a, 1, MPI_INT, b, 2, MPI_INT, self), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgather(a, 1, MPI_INT, a, 1, MPI_INT, self), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, self, &request), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoall(a, 2, MPI_INT, b, 1, MPI_INT, self), MPI_ERR_TRUNCATE);
    const int one = 1, two = 2, zero = 0;
    EXPECT_EQ(MPI_Alltoallv(a, &two, &zero, MPI_INT, b, &one, &zero, MPI_INT, self), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Gatherv(a, 1, MPI_INT, b, &two, &zero, MPI_INT, 0, self), MPI_ERR_TRUNCATE);
    EXPECT_EQ(b[0], 0);
  });
}

TEST(NonblockingOnes, OfTheOnlyMemberAreRequestsLikeOthers) {
  run_ranks(1, [](Rank&) {
    int source[2] = {3, 4}, sum[2] = {}, all[2] = {};
    MPI_Request requests[4];
    int done = 0;
    MPI_Status status;
    ASSERT_EQ(MPI_Iallreduce(source, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF, &requests[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Iallgather(source, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Ibarrier(MPI_COMM_SELF, &requests[2]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Ibcast(source, 2, MPI_INT, 0, MPI_COMM_WORLD, &requests[3]), MPI_SUCCESS);
    for (const MPI_Request request : requests) EXPECT_NE(request, MPI_REQUEST_NULL);
    EXPECT_EQ(MPI_Request_get_status(requests[1], &done, &status), MPI_SUCCESS);
    EXPECT_TRUE(done);
    EXPECT_EQ(MPI_Request_free(&requests[3]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(sum[1], 4);
    EXPECT_EQ(all[0], 3);
  });
}

TEST(WrongArguments, LongerMessagesThanRoomAreTold) {
  run_ranks({2, 2}, [](Rank& rank) {
    return_errors(rank);
    int a[4] = {1, 2, 3, 4};
    MPI_Request request;
    ASSERT_EQ(MPI_Ibcast(a, rank.number() == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank.number() == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  });
}

TEST(WrongArguments, ShorterMessagesThanExpectedAreTold) {
  run_ranks({2, 2}, [](Rank& rank) {
    return_errors(rank);
    int a[4] = {1, 2, 3, 4};
    MPI_Request request;
    ASSERT_EQ(MPI_Ibcast(a, rank.number() == 0 ? 2 : 4, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), rank.number() == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  });
}

// Those who get the data second hand agree with whom they get them from.
TEST(WrongArguments, AWrongLengthIsToldToAllWhoDependOnIt) {
  for (const int others : {1, 10}) {
    run_ranks({8, 2}, [&](Rank& rank) {
      return_errors(rank);
      int a[10] = {};
      const int count = rank.number() == 0 ? 5 : others;
      MPI_Request request;
      ASSERT_EQ(MPI_Ibcast(a, count, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
      EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS, rank.number() == 0);
      const bool fits = MPI_Bcast(a, count, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
      EXPECT_EQ(fits, rank.number() == 0) << rank.number();
    });
  }
}

TEST(WrongArguments, ACallThatWasRefusedCanBeMadeAgain) {
  run_ranks(2, [](Rank& rank) {
    return_errors(rank);
    int one = 1, sum = 0;
    MPI_Request request;
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_Ireduce(&one, &one, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    }
    ASSERT_EQ(MPI_Ireduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, rank.number() == 0 ? 2 : 0);
  });
}

TEST(WrongArguments, OneBufferForBothSidesOfExscanIsRefusedOnAllMembers) {
  run_ranks(3, [](Rank& rank) {
    return_errors(rank);
    int value = 1;
    EXPECT_EQ(MPI_Exscan(&value, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

// Types with addresses instead of displacements: what is at MPI_BOTTOM on both sides may lie anywhere.
TEST(Bottom, MayStandOnBothSides) {
  run_ranks(2, [](Rank& rank) {
    return_errors(rank);
    int sent[2] = {rank.number(), 10 + rank.number()}, got[2] = {-1, -1};
    const auto at = [](int* address) {
      const int length = 1;
      MPI_Aint place;
      MPI_Get_address(address, &place);
      MPI_Datatype type;
      MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &type);
      MPI_Datatype spaced;
      MPI_Type_create_resized(type, 0, sizeof(int), &spaced);
      MPI_Type_commit(&spaced);
      MPI_Type_free(&type);
      return spaced;
    };
    MPI_Datatype from = at(sent), to = at(got);
    MPI_Datatype each_from[2] = {at(sent), at(sent + 1)}, each_to[2] = {at(got), at(got + 1)};
    const int counts[2] = {1, 1}, places[2] = {0, 0};
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Allgather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, world), MPI_SUCCESS);
    EXPECT_EQ(got[0], 0);
    EXPECT_EQ(got[1], 1);
    got[0] = got[1] = -1;
    EXPECT_EQ(MPI_Gather(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, 1, world), MPI_SUCCESS);
    EXPECT_EQ(got[1], rank.number() == 1 ? 1 : -1);
    EXPECT_EQ(
        MPI_Alltoallw(MPI_BOTTOM, counts, places, each_from, MPI_BOTTOM, counts, places, each_to, world),
        MPI_SUCCESS);
    EXPECT_EQ(got[0], 10 * rank.number());
    EXPECT_EQ(got[1], 10 * rank.number() + 1);
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_Gather(MPI_BOTTOM, 1, to, MPI_BOTTOM, 1, to, 0, world), MPI_ERR_BUFFER);
    }
    MPI_Type_free(&from);
    MPI_Type_free(&to);
    for (int k = 0; k < 2; ++k) {
      MPI_Type_free(&each_from[k]);
      MPI_Type_free(&each_to[k]);
    }
  });
}

TEST(EmptyCollectives, NeedNoBuffers) {
  run_ranks(3, [](Rank&) {
    const int none[] = {0, 0, 0};
    EXPECT_EQ(MPI_Bcast(nullptr, 0, MPI_INT, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Alltoallv(nullptr, none, none, MPI_INT, nullptr, none, none, MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Gather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, 2, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Request request;
    EXPECT_EQ(MPI_Iallgather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, MPI_COMM_WORLD, &request),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST(ManyRanks, PassBlocksRound) {
  constexpr int ranks = 36;  // more than may have transfers with all others at once
  run_ranks(ranks, [](Rank& rank) {
    std::vector<int> sent(500, rank.number()), got(500 * ranks), exchanged(500 * ranks);
    MPI_Request requests[2];
    ASSERT_EQ(MPI_Iallgather(sent.data(), 500, MPI_INT, got.data(), 500, MPI_INT, MPI_COMM_WORLD, requests),
              MPI_SUCCESS);
    std::vector<int> blocks(500 * ranks);
    for (int k = 0; k < 500 * ranks; ++k)
      blocks[static_cast<std::size_t>(k)] = k / 500 * 1000 + rank.number();
    ASSERT_EQ(MPI_Ialltoall(blocks.data(), 500, MPI_INT, exchanged.data(), 500, MPI_INT, MPI_COMM_WORLD,
                            requests + 1),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int k = 0; k < 500 * ranks; ++k) {
      ASSERT_EQ(got[static_cast<std::size_t>(k)], k / 500);
      ASSERT_EQ(exchanged[static_cast<std::size_t>(k)], rank.number() * 1000 + k / 500);
    }
  });
}

// A rank that only waits for a message moves its collectives on: here rank 1 sends that message when a
// broadcast through rank 0 has reached it.
TEST(Progress, GoesOnWhileARankWaitsForSomethingElse) {
  run_ranks({4, 2}, [](Rank& rank) {
    for (int round = 0; round < 20; ++round) {
      std::vector<int> data(20000, rank.number() == 3 ? round : -1);
      MPI_Request request;
      ASSERT_EQ(MPI_Ibcast(data.data(), 20000, MPI_INT, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
      int token = 0;
      if (rank.number() != 0) {
        ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        if (rank.number() == 1) {
          ASSERT_EQ(MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        }
      } else {
        ASSERT_EQ(MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      EXPECT_EQ(data[19999], round);
    }
  });
}

// Two threads of each rank with collectives on a communicator of their own each.
TEST(Threads, OfARankUseSeveralCommunicatorsAtOnce) {
  TestRanks ranks({3, 2});
  ranks.run([&](Rank& rank) {
    const Reference<Communicator> own[] = {duplicate(rank.world()), duplicate(rank.world())};
    const auto work = [&](std::size_t which) {
      const MPI_Comm comm = handle_of<MPI_Comm>(own[which].get());
      for (int round = 0; round < 100; ++round) {
        const int value = rank.number() + round;
        int sum = 0, sum_again = 0;
        MPI_Request request;
        ASSERT_EQ(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
        if (round % 3 == 0) {
          ASSERT_EQ(MPI_Allreduce(&value, &sum_again, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
          ASSERT_EQ(sum_again, 3 * round + 3);
        }
        ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        ASSERT_EQ(sum, 3 * round + 3);
      }
    };
    std::thread second([&] { TestRanks::run_as(rank, [&](Rank&) { work(1); }); });
    work(0);
    second.join();
  });
}

TEST(Requests, OutliveTheTypeAndOperationOfTheProgram) {
  run_ranks(2, [](Rank& rank) {
    MPI_Op operation;
    const auto add = [](void* in, void* inout, int* length, MPI_Datatype*) {
      for (int k = 0; k < *length * 2; ++k) static_cast<int*>(inout)[k] += static_cast<int*>(in)[k];
    };
    ASSERT_EQ(MPI_Op_create(add, 1, &operation), MPI_SUCCESS);
    auto type = make_contiguous(2, *predefined_datatype(MPI_INT));
    type->committed = true;
    const int mine[] = {rank.number(), 10};
    int sum[2];
    MPI_Request request;
    ASSERT_EQ(MPI_Allreduce_init(mine, sum, 1, handle_of<MPI_Datatype>(type.get()), operation, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &request),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Op_free(&operation), MPI_SUCCESS);
    type = {};
    for (int round = 0; round < 3; ++round) {
      sum[0] = sum[1] = 0;
      ASSERT_EQ(MPI_Start(&request), MPI_SUCCESS);
      ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(sum[0], 1);
      EXPECT_EQ(sum[1], 20);
    }
    ASSERT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  });
}

}  // namespace
}  // namespace taihu::mpi::collectives
