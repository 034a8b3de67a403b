// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_prediction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

/// The memory of a node carries 20 GB/s, the link to it 8, a core 10 at its own node.
NumaMachine machine_of_two_sockets() {
  return parse_numa_machine(R"({"name": "two sockets", "nodes": 2, "cores_per_node": 4, "memory_gb_s": 20,
      "link_gb_s": 8, "core_local_gb_s": 10, "core_remote_gb_s": 6, "barrier_us": 0})",
                            "test");
}

TEST(NumaPrediction, GainIsTheTimeWithoutOverTheTimeWith) {
  const std::vector<NumaPrediction> lines = predict_even(machine_of_two_sockets(), 8e9, {1, 8}, 0, {});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].threads, 1);
  EXPECT_DOUBLE_EQ(lines[0].gain(), 0);  // one thread has everything at its node
  EXPECT_EQ(lines[1].threads, 8);
  EXPECT_DOUBLE_EQ(lines[1].bytes, 8e9);
  // Half of the bytes cross the link at 8 GB/s; placed they come from both memories at once.
  EXPECT_DOUBLE_EQ(lines[1].gain(), (4e9 / 8e9) / (4e9 / 20e9) - 1);
}

TEST(NumaPrediction, NothingIsGainedWhereNothingIsPlaced) {
  const std::vector<NumaPrediction> lines = predict_even(machine_of_two_sockets(), 8e9, {8}, 1, {});
  EXPECT_DOUBLE_EQ(lines[0].gain(), 0);
  EXPECT_EQ(lines[0].with.limit, lines[0].without.limit);
}

TEST(NumaPrediction, NoThreadsNoLinesAndTooManyAreRefused) {
  EXPECT_TRUE(predict_even(machine_of_two_sockets(), 8e9, {}, 0, {}).empty());
  EXPECT_THROW(predict_even(machine_of_two_sockets(), 8e9, {9}, 0, {}), Error);
}

TEST(NumaPrediction, TextHasALineForEachNumberOfThreads) {
  const NumaSolve solve;
  const std::string text =
      text_of(machine_of_two_sockets(), solve, predict_even(machine_of_two_sockets(), 8e9, {8}, 0, solve));
  EXPECT_EQ(text,
            "simulated: two sockets, 2 nodes; 1 sweeps, streaming share 1\n"
            " threads    without s       with s     gain  without waits for                  with waits for\n"
            "       8     0.500000     0.200000   150.0%  link from node 0 to node 1         memory of node "
            "0\n");
}

TEST(NumaPrediction, JsonSaysThatItIsSimulatedAndTheSameNumbers) {
  const NumaSolve solve;
  const std::string json =
      json_of(machine_of_two_sockets(), solve, 0, predict_even(machine_of_two_sockets(), 8e9, {8}, 0, solve));
  for (const char* part : {"\"simulated\": true", "\"machine\": \"two sockets\"", "\"threads\": 8",
                           "\"without_s\": 0.5", "\"with_s\": 0.2", "\"unplaced\": 0"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

TEST(HierarchyPrediction, PlacingMoreIsNeverSlower) {
  const HierarchyTraffic hierarchy{.iterations = 10,
                                   .levels = {{6e9, 1e9, 1e9, 2e9, 3}, {6e8, 1e8, 1e8, 2e8, 3}}};
  const std::vector<HierarchyPrediction> lines = predict(machine_of_two_sockets(), hierarchy, {1, 2, 8}, 1);
  ASSERT_EQ(lines.size(), 3u);
  for (const HierarchyPrediction& line : lines) {
    EXPECT_LE(line.operators.seconds, line.nothing.seconds);
    EXPECT_LE(line.everything.seconds, line.operators.seconds);
  }
  EXPECT_DOUBLE_EQ(lines[0].gain(lines[0].everything), 0);
  EXPECT_GT(lines[2].gain(lines[2].everything), lines[2].gain(lines[2].operators));
  const std::string text = text_of(machine_of_two_sockets(), hierarchy, 1, lines);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("A and P are 70% of the bytes moved"), std::string::npos) << text;
  EXPECT_NE(json_of(machine_of_two_sockets(), hierarchy, 1, lines).find("\"everything_gain\": 0.0"),
            std::string::npos);
}

}  // namespace
}  // namespace taihu::model
