// SPDX-License-Identifier: Apache-2.0
// The text of a trace. That recorded calls do what others do is tested in communicator_test.cc.
#include "taihu/parallel/recorded_communicator.h"

#include <gtest/gtest.h>

#include <array>

#include "taihu/parallel/ranks_for_tests.h"

namespace taihu::parallel {
namespace {

TEST(RecordedCommunicator, TellsTheCallsOfAllRanks) {
  std::string trace;
  on_ranks(3, [&](Communicator& inner) {
    RecordedCommunicator ranks(inner);
    std::array<double, 3> values{};
    ranks.maximum(values);  // before recording
    ranks.record(true);
    ranks.maximum(values);
    // A ring of three doubles.
    std::array<double, 3> from_left{};
    const Communicator::Buffer send{(ranks.rank() + 1) % 3, values.data(), sizeof values};
    const Communicator::Buffer receive{(ranks.rank() + 2) % 3, from_left.data(), sizeof from_left};
    ranks.start({&send, 1}, {&receive, 1});
    ranks.finish();
    ranks.start({}, {});
    ranks.finish();
    ranks.all_gather(Bytes(static_cast<std::size_t>(ranks.rank())));
    ranks.broadcast(values.data(), sizeof values);
    ranks.record(false);
    ranks.maximum(values);
    const std::string all = ranks.trace_of_all();
    if (ranks.is_root()) trace = all;
  });
  EXPECT_EQ(trace,
            "taihu trace 1\nranks 3\n"
            "rank 0\nallreduce 24\nexchange 1:24 2:24\nexchange - -\nallgather 8\nallgather 0\nbcast 24\n"
            "rank 1\nallreduce 24\nexchange 2:24 0:24\nexchange - -\nallgather 8\nallgather 1\nbcast 24\n"
            "rank 2\nallreduce 24\nexchange 0:24 1:24\nexchange - -\nallgather 8\nallgather 2\nbcast 24\n");
}

TEST(RecordedCommunicator, ExchangesNameWhoGetsSomething) {
  std::string trace;
  on_ranks(2, [&](Communicator& inner) {
    RecordedCommunicator ranks(inner);
    ranks.record(true);
    const std::array<std::int32_t, 3> elements{1, 2, 3};
    const std::array<std::int64_t, 2> counts =
        ranks.rank() == 0 ? std::array<std::int64_t, 2>{1, 2} : std::array<std::int64_t, 2>{0, 3};
    ranks.exchange<std::int32_t>(elements, counts);
    const std::string all = ranks.trace_of_all();
    if (ranks.is_root()) trace = all;
  });
  EXPECT_EQ(
      trace,
      "taihu trace 1\nranks 2\nrank 0\nalltoall 8\nexchange 1:8 -\nrank 1\nalltoall 8\nexchange - 0:8\n");
}

}  // namespace
}  // namespace taihu::parallel
