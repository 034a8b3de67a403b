// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/message_trace.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

constexpr const char* ring_of_three =
    "taihu trace 1\nranks 3\n"
    "rank 0\nexchange 1:100000 2:100000\nexchange - -\nallreduce 8\n"
    "rank 1\nexchange 2:100000 0:100000\nexchange - -\nallreduce 8\n"
    "rank 2\nexchange 0:100000 1:100000\nexchange - -\nallreduce 8\n";

TEST(MessageTrace, TakesTheTimeOfItsMessages) {
  const auto network = topology::make_interconnect(topology::FatTree{1, 8, 1}, {});
  const schedule::MessageCosts costs;
  const MessageTrace trace = parse_trace(ring_of_three, "trace");
  ASSERT_EQ(trace.ranks(), 3);
  const NetworkTime time = simulate_trace(*network, trace, 1);
  // Three of the ring; of the sum among three one is folded: to its partner, there and back, and back.
  EXPECT_EQ(time.messages, 3u + 4u);
  const double exchange = costs.send_seconds + costs.receive_seconds + network->latency(2) +
                          1e5 / network->rates().bytes_per_second;
  EXPECT_GT(time.seconds, exchange + 3 * network->latency(2));
  EXPECT_LT(time.seconds, exchange + 3 * (network->latency(2) + 3e-6));
  // Longer edges: only exchanges grow.
  const double longer = simulate_trace(*network, parse_trace(ring_of_three, "trace", 4), 1).seconds;
  EXPECT_NEAR(longer - time.seconds, 3e5 / network->rates().bytes_per_second, 1e-9);
  // On one node they are copies.
  const double near = simulate_trace(*network, trace, 3).seconds;
  EXPECT_LT(near, time.seconds);
}

TEST(MessageTrace, KnowsAllCollectiveCalls) {
  std::string text = "taihu trace 1\nranks 16\n";
  for (int rank = 0; rank < 16; ++rank)
    text += "rank " + std::to_string(rank) + "\nallgather " + std::to_string(5 + rank % 3 * 500) +
            "\nbcast 100\nalltoall 8\nallgather 0\n";
  const auto network = topology::make_interconnect(topology::FatTree{1, 16, 1}, {});
  EXPECT_GT(simulate_trace(*network, parse_trace(text, "trace"), 1).seconds, 12 * network->latency(2));
  EXPECT_THROW(simulate_trace(*topology::make_interconnect(topology::FatTree{1, 4, 1}, {}),
                              parse_trace(text, "trace"), 2),
               Error);
}

TEST(MessageTrace, NamesTheLineThatIsWrong) {
  const auto problem = [](const std::string& text) {
    try {
      parse_trace(text, "file");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem(""), "file is no trace of messages; write one with amgsolve --trace");
  EXPECT_EQ(problem("taihu trace 1\nranks 0\n"), "file:2: expected 'ranks' and their number");
  const std::string head = "taihu trace 1\nranks 2\n";
  EXPECT_EQ(problem(head + "exchange - -\n"), "file:3: expected 'rank' and a number");
  EXPECT_EQ(problem(head + "rank 1\n"), "file:3: expected the ranks one after the other");
  EXPECT_EQ(problem(head + "rank 0\nexchange 1:2\n"), "file:4: expected two lists of messages, or -");
  EXPECT_EQ(problem(head + "rank 0\nexchange 2:2 -\n"), "file:4: expected another one of the ranks");
  EXPECT_EQ(problem(head + "rank 0\nexchange 1:x -\n"), "file:4: expected a number up to 1099511627776");
  EXPECT_EQ(problem(head + "rank 0\nreduce 8\n"),
            "file:4: expected exchange, allreduce, allgather, bcast or alltoall");
  EXPECT_EQ(problem(head + "rank 0\nbcast 8 9\n"), "file:4: expected nothing behind that");
  EXPECT_EQ(problem(head + "rank 0\n"), "file:3: expected the calls of all ranks");
  EXPECT_EQ(problem(head + "rank 0\nbcast 8\nrank 1\nallreduce 8\n"),
            "file: ranks 0 and 1 differ in their collective calls");
}

}  // namespace
}  // namespace taihu::model
