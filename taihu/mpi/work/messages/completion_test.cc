// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "taihu/mpi/objects/status.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::messages {
namespace {

MPI_Status filled() {
  MPI_Status status{};
  status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = 77;
  set_bytes(status, 77);
  return status;
}

void expect_empty(const MPI_Status& status) {
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(status.MPI_ERROR, MPI_SUCCESS);
  int count = -1;
  EXPECT_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
}

TEST(completion, null_requests_have_the_empty_status) {
  run_ranks(1, [](Rank&) {
    MPI_Request request = MPI_REQUEST_NULL, several[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status = filled(), statuses[2] = {filled(), filled()};
    int flag = 0, place = 0;
    MPI_Wait(&request, &status);
    expect_empty(status);
    status = filled();
    MPI_Request_get_status(request, &flag, &status);
    EXPECT_EQ(flag, 1);
    expect_empty(status);
    status = filled();
    MPI_Waitany(2, several, &place, &status);
    EXPECT_EQ(place, MPI_UNDEFINED);
    expect_empty(status);
    MPI_Waitall(2, several, statuses);
    for (const MPI_Status& each : statuses) expect_empty(each);
  });
}

TEST(completion, inactive_requests_have_the_empty_status) {
  run_ranks(1, [](Rank&) {
    MPI_Request request;
    int number = 0, flag = 0;
    MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Status status = filled();
    MPI_Wait(&request, &status);
    expect_empty(status);
    status = filled();
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 1);
    expect_empty(status);
    MPI_Request_free(&request);
  });
}

TEST(completion, of_one_request_leaves_the_error_field_alone) {
  run_ranks(1, [](Rank&) {
    MPI_Request requests[2];
    int out = 5, in = 0;
    MPI_Irecv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]);
    for (MPI_Request& request : requests) {
      MPI_Status status = filled();
      MPI_Wait(&request, &status);
      EXPECT_EQ(status.MPI_ERROR, 77);
    }
    EXPECT_EQ(in, 5);
  });
}

TEST(completion, a_send_whose_request_is_freed_leaves_its_buffer_free) {
  run_ranks(2, [](Rank& rank) {
    for (const int numbers : {1, 3000, 12000, 300000}) {
      std::vector<int> data(static_cast<std::size_t>(numbers), 7);
      if (rank.number() == 0) {
        MPI_Request request;
        MPI_Isend(data.data(), numbers, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        std::fill(data.begin(), data.end(), 8);
        MPI_Send(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
      } else {
        std::fill(data.begin(), data.end(), 9);
        MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data.data(), numbers, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(data, std::vector<int>(static_cast<std::size_t>(numbers), 7));
      }
    }
  });
}

}  // namespace
}  // namespace taihu::mpi::messages
