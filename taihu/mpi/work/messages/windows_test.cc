// SPDX-License-Identifier: Apache-2.0
// Windows of non-blocking sends and receives, and the one request that all sends share which are complete
// when they are started.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "taihu/mpi/objects/status.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::messages {
namespace {

constexpr int window = 200;  // more than MPI_Waitall looks at without an allocation

/// A message of `numbers` integers, the first of which is `first`.
std::vector<int> message(int numbers, int first) {
  std::vector<int> values(static_cast<std::size_t>(numbers));
  std::iota(values.begin(), values.end(), first);
  return values;
}

void exchange_window(int me, int numbers, MPI_Comm communicator) {
  std::vector<std::vector<int>> in(window, message(numbers, -9)), out;
  std::vector<MPI_Request> requests(2 * window + 1, MPI_REQUEST_NULL);  // the last one stays null
  std::vector<MPI_Status> statuses(requests.size());
  for (int i = 0; i < window; ++i) {
    MPI_Irecv(in[static_cast<std::size_t>(i)].data(), numbers, MPI_INT, 1 - me, MPI_ANY_TAG, communicator,
              &requests[static_cast<std::size_t>(i)]);
    out.push_back(message(numbers, me * 1000 + i));
  }
  for (int i = 0; i < window; ++i) {
    MPI_Isend(out[static_cast<std::size_t>(i)].data(), numbers, MPI_INT, 1 - me, i, communicator,
              &requests[static_cast<std::size_t>(window + i)]);
  }
  ASSERT_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data()), MPI_SUCCESS);
  for (int i = 0; i < window; ++i) {
    const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
    ASSERT_EQ(status.MPI_SOURCE, 1 - me);
    ASSERT_EQ(status.MPI_TAG, i);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    ASSERT_EQ(count, numbers);
    ASSERT_EQ(in[static_cast<std::size_t>(i)], message(numbers, (1 - me) * 1000 + i));
  }
  for (const MPI_Request request : requests) ASSERT_EQ(request, MPI_REQUEST_NULL);
}

TEST(windows, of_all_sizes_arrive_in_order) {
  run_ranks(2, [](Rank& rank) {
    for (const int numbers : {0, 1, 10, 11, 100, 256, 257, 2000})
      exchange_window(rank.number(), numbers, MPI_COMM_WORLD);
  });
}

TEST(windows, on_a_communicator_that_goes_away_meanwhile) {
  run_ranks(2, [](Rank& rank) {
    for (const int numbers : {1, 200}) {
      MPI_Comm other;
      MPI_Comm_dup(MPI_COMM_WORLD, &other);
      exchange_window(rank.number(), numbers, other);
      std::vector<int> out = message(numbers, 3), in = message(numbers, 0);
      MPI_Request requests[2];
      MPI_Irecv(in.data(), numbers, MPI_INT, MPI_ANY_SOURCE, 0, other, &requests[0]);
      MPI_Isend(out.data(), numbers, MPI_INT, 1 - rank.number(), 0, other, &requests[1]);
      MPI_Comm_free(&other);
      MPI_Status statuses[2];
      ASSERT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
      EXPECT_EQ(statuses[0].MPI_SOURCE, 1 - rank.number());
      EXPECT_EQ(in, out);
    }
  });
}

TEST(windows, between_node_processes) {
  run_ranks({2, 2}, [](Rank& rank) {
    for (const int numbers : {1, 300}) exchange_window(rank.number(), numbers, MPI_COMM_WORLD);
  });
}

TEST(windows, disconnecting_waits_for_a_freed_receive) {
  run_ranks(2, [](Rank& rank) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int value = 0;
    if (rank.number() == 0) {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_INT, 1, 0, other, &request);
      MPI_Request_free(&request);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      value = 4;
      MPI_Send(&value, 1, MPI_INT, 0, 0, other);
    }
    MPI_Comm_disconnect(&other);
    EXPECT_EQ(value, 4);
  });
}

TEST(windows, every_status_tells_the_error_when_one_message_is_too_long) {
  run_ranks(2, [](Rank& rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const int numbers : {2, 2000}) {
      const std::vector<int> out = message(numbers, 1);
      if (rank.number() == 0) {
        for (int i = 0; i < 3; ++i) MPI_Send(out.data(), numbers, MPI_INT, 1, i, MPI_COMM_WORLD);
      } else {
        std::vector<int> in(static_cast<std::size_t>(numbers));
        int one = 0;
        MPI_Request requests[4];
        MPI_Irecv(in.data(), numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        requests[2] = MPI_REQUEST_NULL;
        MPI_Irecv(in.data(), numbers, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[3]);
        MPI_Status statuses[4];
        for (MPI_Status& status : statuses) status.MPI_ERROR = 77;
        EXPECT_EQ(MPI_Waitall(4, requests, statuses), MPI_ERR_IN_STATUS);
        EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
        EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
        EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
        EXPECT_EQ(statuses[3].MPI_ERROR, MPI_SUCCESS);
        EXPECT_EQ(statuses[1].MPI_TAG, 1);
        EXPECT_EQ(one, 1);
        for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
      }
    }
  });
}

TEST(windows, complete_sends_may_be_waited_for_freed_cancelled_and_named_in_any_order) {
  run_ranks(1, [](Rank&) {
    constexpr int sends = 6;
    MPI_Request requests[sends];
    for (int i = 0; i < sends; ++i) MPI_Isend(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    const MPI_Fint number = MPI_Request_c2f(requests[0]);
    MPI_Request_free(&requests[1]);
    EXPECT_EQ(MPI_Cancel(&requests[2]), MPI_SUCCESS);
    MPI_Status status;
    int flag = 7;
    MPI_Wait(&requests[2], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Request_get_status(requests[3], &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 1);
    MPI_Test(&requests[3], &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(requests[3], MPI_REQUEST_NULL);
    int place = -1;
    MPI_Waitany(sends, requests, &place, &status);
    EXPECT_EQ(place, 0);
    MPI_Request again = MPI_Request_f2c(number);  // handles of other sends still have the number
    EXPECT_EQ(again, requests[4]);
    EXPECT_EQ(MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    for (int i = 0; i < sends; ++i) {
      int value = -1;
      MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      EXPECT_EQ(value, i);
    }
  });
}

TEST(windows, completing_a_complete_send_leaves_the_error_field_alone) {
  run_ranks(1, [](Rank&) {
    int value = 1;
    MPI_Request request;
    MPI_Status status{};
    status.MPI_ERROR = 77;
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    EXPECT_EQ(status.MPI_ERROR, 77);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

}  // namespace
}  // namespace taihu::mpi::messages
