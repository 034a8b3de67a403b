// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::messages {
namespace {

double processor_seconds() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

int three_for_each_core() {
  return static_cast<int>(std::clamp(3 * std::thread::hardware_concurrency(), 6U, 24U));
}

/// Hands a token round by `receive`, which polls; the processor time that all ranks take.
template <class Receive>
double time_of_rounds(Receive receive) {
  constexpr int rounds = 60;
  const double before = processor_seconds();
  run_ranks(three_for_each_core(), [&](Rank& rank) {
    const int ranks = three_for_each_core(), me = rank.number();
    for (int i = 0; i < rounds; ++i) {
      int token = i;
      if (me != 0) receive(me - 1, &token);
      MPI_Send(&token, 1, MPI_INT, (me + 1) % ranks, 0, MPI_COMM_WORLD);
      if (me == 0) receive(ranks - 1, &token);
      EXPECT_EQ(token, i);
    }
  });
  return processor_seconds() - before;
}

// A rank that polls through its time slice, some milliseconds, would take seconds here.
constexpr double few_seconds = 1.0;

TEST(polling, by_test_gives_the_core_to_ranks_that_have_something_to_do) {
  EXPECT_LT(time_of_rounds([](int from, int* token) {
              MPI_Request request;
              MPI_Irecv(token, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request);
              for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            }),
            few_seconds);
}

TEST(polling, by_probe_gives_the_core_to_ranks_that_have_something_to_do) {
  EXPECT_LT(time_of_rounds([](int from, int* token) {
              for (int there = 0; there == 0;) MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
              MPI_Recv(token, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }),
            few_seconds);
}

}  // namespace
}  // namespace taihu::mpi::messages
