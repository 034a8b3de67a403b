// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_time.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/base/random.h"

namespace taihu::model {
namespace {

constexpr const char* two_sockets =
    R"({"name": "two sockets", "nodes": 2, "cores_per_node": 4, "memory_gb_s": 20, "link_gb_s": 8,
        "core_local_gb_s": 10, "core_remote_gb_s": 6, "barrier_us": 0, "source": "made up"})";

NumaMachine machine() {
  return parse_numa_machine(two_sockets, "test");
}

TEST(NumaTime, OneThreadIsLimitedByItself) {
  const NumaTime time = numa_time(machine(), even_traffic(1e9, 1, 2, 4), {});
  EXPECT_DOUBLE_EQ(time.seconds, 0.1);
  EXPECT_EQ(time.limit, "thread 0");
}

TEST(NumaTime, AllOnOneNodeWaitsForItsLink) {
  const NumaTraffic local = even_traffic(8e9, 8, 2, 4);
  const NumaTime with = numa_time(machine(), local, {});
  EXPECT_DOUBLE_EQ(with.seconds, 4e9 / 20e9);
  const NumaTime without = numa_time(machine(), touched_by_first_thread(local), {});
  EXPECT_DOUBLE_EQ(without.seconds, 4e9 / 8e9);
  EXPECT_EQ(without.limit, "link from node 0 to node 1");
}

TEST(NumaTime, MemoryLimitsWhereLinksAreFast) {
  NumaMachine fast = machine();
  fast.link = {{1, 1e12}, {1e12, 1}};
  const NumaTime time = numa_time(fast, touched_by_first_thread(even_traffic(8e9, 8, 2, 4)), {});
  EXPECT_DOUBLE_EQ(time.seconds, 8e9 / 20e9);
  EXPECT_EQ(time.limit, "memory of node 0");
}

TEST(NumaTime, OtherWorkIsTheSameWithAndWithout) {
  const NumaTraffic local = even_traffic(8e9, 8, 2, 4);
  const NumaSolve solve{10, 0.25};
  // Alone: 0.8 s of reading and three times that of other work, which eight threads divide.
  EXPECT_DOUBLE_EQ(numa_time(machine(), local, solve).seconds, 10 * (0.2 + 3 * 0.8 / 8));
  EXPECT_DOUBLE_EQ(numa_time(machine(), touched_by_first_thread(local), solve).seconds,
                   10 * (0.5 + 3 * 0.8 / 8));
}

TEST(NumaTime, UnplacedDataStayOnTheFirstNode) {
  const NumaTraffic half = partly_unplaced(even_traffic(8e9, 8, 2, 4), 0.5);
  EXPECT_DOUBLE_EQ(half.bytes[0][0], 1e9);
  EXPECT_DOUBLE_EQ(half.bytes[7][0], 0.5e9);
  EXPECT_DOUBLE_EQ(half.bytes[7][1], 0.5e9);
  EXPECT_DOUBLE_EQ(numa_time(machine(), half, {}).seconds, 6e9 / 20e9);
  EXPECT_THROW(partly_unplaced(half, 1.5), Error);
}

TEST(NumaTime, BarriersGrowWithTheLogarithm) {
  NumaMachine slow = machine();
  slow.barrier_seconds = 1;
  EXPECT_DOUBLE_EQ(numa_time(slow, even_traffic(8e9, 1, 2, 4), {}).seconds, 0.8);
  EXPECT_DOUBLE_EQ(numa_time(slow, even_traffic(8e9, 8, 2, 4), {}).seconds, 0.2 + 3);
  EXPECT_DOUBLE_EQ(numa_time(slow, even_traffic(8e9, 5, 2, 4), {}).seconds, 8e9 / 5 * 4 / 20e9 + 3);
}

TEST(NumaTime, LocalIsNeverSlowerOnEvenMachines) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    const int nodes = 1 + static_cast<int>(random.below(8)), threads = 1 + static_cast<int>(random.below(24));
    NumaTraffic traffic = even_traffic(1e9, threads, nodes, 24);
    for (int& home : traffic.home) home = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
    for (auto& row : traffic.bytes)
      for (double& bytes : row) bytes = random.uniform() * 1e8;
    NumaMachine even;
    even.memory.assign(static_cast<std::size_t>(nodes), 20e9);
    even.link.assign(static_cast<std::size_t>(nodes),
                     std::vector<double>(static_cast<std::size_t>(nodes), 5e9));
    even.core_local = 10e9;
    even.core_remote = 7e9;
    const NumaTraffic first = touched_by_first_thread(traffic), local = all_local(traffic);
    EXPECT_NEAR(local.total(), traffic.total(), 1);
    // Memory of one node serves at most what it serves when it has everything.
    EXPECT_LE(numa_time(even, local, {}).seconds, numa_time(even, first, {}).seconds * (1 + 1e-12));
  }
}

TEST(NumaTime, ReadsReports) {
  const char* report =
      R"({"format": "taihu-locality 1", "threads": [{"node": 0}, {"node": 1}], "thread_bytes": [
    {"thread": 0, "bytes_on_node": {"0": 600, "1": 200, "unknown": 80, "untouched": 999}},
    {"thread": 1, "bytes_on_node": {"0": 1000}}]})";
  const NumaTraffic traffic = traffic_of_report(report, "r", 2);
  EXPECT_EQ(traffic.home, (std::vector<int>{0, 1}));
  EXPECT_DOUBLE_EQ(traffic.bytes[0][0], 660);
  EXPECT_DOUBLE_EQ(traffic.bytes[0][1], 220);
  EXPECT_DOUBLE_EQ(all_local(traffic).bytes[1][1], 1000);
  EXPECT_THROW(traffic_of_report(report, "r", 1), Error) << "the machine has no node 1";
}

TEST(NumaTime, RefusesWhatIsNoReport) {
  for (
      const char* wrong :
      {"", "[]", "{}", R"({"format": "taihu-locality 2"})", R"({"format": "taihu-locality 1"})",
       R"({"format": "taihu-locality 1", "threads": [], "thread_bytes": []})",
       R"({"format": "taihu-locality 1", "threads": [{"node": 0}], "thread_bytes": [{"thread": 5, "bytes_on_node": {}}]})",
       R"({"format": "taihu-locality 1", "threads": [{"node": 0}], "thread_bytes": [{"thread": 0, "bytes_on_node": {"x": 1}}]})",
       R"({"format": "taihu-locality 1", "threads": [{"node": 0}], "thread_bytes": [{"thread": 0, "bytes_on_node": {"1x": 1}}]})",
       R"({"format": "taihu-locality 1", "threads": [{"node": 4294967296}], "thread_bytes": [{"thread": 0, "bytes_on_node": {"0": 1}}]})",
       R"({"format": "taihu-locality 1", "threads": [{"node": 0.5}], "thread_bytes": [{"thread": 0, "bytes_on_node": {"0": 1}}]})",
       R"({"format": "taihu-locality 1", "threads": [{"node": "a"}], "thread_bytes": []})"})
    EXPECT_THROW(traffic_of_report(wrong, "r", 2), Error) << wrong;
}

TEST(NumaMachine, RefusesWrongFilesByKey) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    try {
      parse_numa_machine(text, "m.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message(two_sockets, "\"nodes\": 2", "\"nodes\": 0"),
            "m.json: \"nodes\" is wrong; it is a number from 1 to 1024");
  EXPECT_EQ(message(two_sockets, "\"barrier_us\": 0,", ""), "m.json: \"barrier_us\" is missing");
  EXPECT_EQ(message(two_sockets, "barrier_us", "barier_us"), "m.json: \"barier_us\" is unknown");
  EXPECT_EQ(message(two_sockets, "\"memory_gb_s\": 20", "\"memory_gb_s\": [20]"),
            "m.json: \"memory_gb_s\" is wrong; it is a number, or one for each node");
  EXPECT_EQ(message(two_sockets, "\"link_gb_s\": 8", "\"link_gb_s\": -8"),
            "m.json: \"link_gb_s\" is wrong; it is above 0, in GB/s");
  EXPECT_EQ(message(two_sockets, "{", "["), "m.json is not a JSON object that describes a machine");
}

TEST(NumaTraffic, RefusesMoreThreadsThanCores) {
  EXPECT_THROW(even_traffic(1, 9, 2, 4), Error);
  EXPECT_THROW(even_traffic(1, 0, 2, 4), Error);
  EXPECT_THROW(numa_time(machine(), even_traffic(1, 1, 2, 4), {1, 0}), Error);
  EXPECT_THROW(numa_time(machine(), even_traffic(1, 1, 2, 4), {0, 1}), Error);
}

}  // namespace
}  // namespace taihu::model
