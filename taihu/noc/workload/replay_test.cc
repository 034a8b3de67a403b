// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/noc/workload/places.h"

namespace taihu::noc {
namespace {

std::string list_of(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "[" : ",") + std::to_string(value);
  return text + "]";
}

/// A line of a trace: all members come and go at the same time.
std::string line(const std::string& operation, int id, const std::vector<int>& job_ranks, int bytes,
                 int begin, int end, const std::string& more = "") {
  const std::size_t size = job_ranks.size();
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < size; ++rank) ranks.push_back(static_cast<int>(rank));
  return R"({"operation":")" + operation + R"(","communicator":"","id":)" + std::to_string(id) +
         R"(,"size":)" + std::to_string(size) + R"(,"ranks":)" + list_of(ranks) + R"(,"job_ranks":)" +
         list_of(job_ranks) + R"(,"bytes":)" + list_of(std::vector<int>(size, bytes)) + R"(,"begin_us":)" +
         list_of(std::vector<int>(size, begin)) + R"(,"end_us":)" + list_of(std::vector<int>(size, end)) +
         more + "}\n";
}

ReplayReport replayed(const std::string& text, const ReplayConfig& config = {},
                      const Costs& costs = fair_costs()) {
  return replay(parse_trace(text, "t"), config, costs, {});
}

const char* const trace =
    R"({"operation":"MPI_Allreduce","communicator":"MPI_COMM_WORLD","id":0,"size":4,"number":0,"ranks":[0,1,2,3],"job_ranks":[0,1,2,3],"bytes":[8,8,8,8],"begin_us":[0,1,2,3],"end_us":[10,10,11,12]})"
    "\n"
    R"({"operation":"MPI_Alltoall","communicator":"MPI_COMM_WORLD","id":0,"size":4,"number":1,"ranks":[0,1,2,3],"job_ranks":[0,1,2,3],"bytes":[64,64,64,64],"begin_us":[20,20,20,20],"end_us":[30,30,30,30]})"
    "\n"
    R"({"operation":"MPI_Bcast","communicator":"MPI_COMM_WORLD","id":0,"size":4,"number":2,"root":2,"ranks":[0,1,2,3],"job_ranks":[0,1,2,3],"bytes":[100,100,100,100],"begin_us":[40,40,40,40],"end_us":[50,50,50,50]})"
    "\n";

TEST(Replay, SharesAndRatios) {
  const ReplayReport report = replayed(trace);
  EXPECT_EQ(report.ranks, 4);
  EXPECT_DOUBLE_EQ(report.program_us, 50);
  EXPECT_NEAR(report.collective_share, (10 + 9 + 9 + 9 + 40 + 40) / 200.0, 1e-9);
  // The last of the four comes 3 us after the first: the others wait 3, 2 and 1 us.
  EXPECT_NEAR(report.waiting_share, (3 + 2 + 1) / 200.0, 1e-9);
  ASSERT_EQ(report.rows.size(), 3u);
  for (const ReplayRow& row : report.rows) {
    EXPECT_EQ(row.supported, row.operation != "MPI_Alltoall");
    if (row.supported) {
      EXPECT_GT(row.software_cycles, 100);
    }
  }
  EXPECT_GE(report.program_speedup(), 1);
}

TEST(Replay, SplitCommunicatorsRunAtTheSameTime) {
  const std::string even = line("MPI_Allreduce", 1, {0, 2}, 8, 0, 10);
  const std::string odd = line("MPI_Allreduce", 2, {1, 3}, 8, 0, 10);
  const ReplayReport report = replayed(even + odd);
  EXPECT_EQ(report.ranks, 4);
  EXPECT_EQ(report.communicators, 2u);
  EXPECT_DOUBLE_EQ(report.program_us, 10);
  EXPECT_NEAR(report.collective_share, 1, 1e-9);
  const double alone = replayed(even).software_us;
  EXPECT_GE(report.software_us, alone);
  EXPECT_LT(report.software_us, 1.2 * alone);
  // One behind the other when the same ranks are in both.
  const ReplayReport chained = replayed(even + line("MPI_Allreduce", 2, {2, 0}, 8, 10, 20));
  EXPECT_GT(chained.software_us, 1.8 * alone);
}

TEST(Replay, ComputeTimeLiesBetweenCalls) {
  const std::string first = line("MPI_Barrier", 0, {0, 1, 2, 3}, 0, 0, 10);
  const ReplayReport near = replayed(first + line("MPI_Barrier", 0, {0, 1, 2, 3}, 0, 10, 20));
  const ReplayReport far = replayed(first + line("MPI_Barrier", 0, {0, 1, 2, 3}, 0, 1010, 1020));
  EXPECT_NEAR(far.software_us - near.software_us, 1000, 0.01);
  EXPECT_NEAR(far.hardware_us - near.hardware_us, 1000, 0.01);
  // A slower chip needs as long for its own part, and the program's part stays.
  ReplayConfig half;
  half.clock_ghz = 1.3;
  EXPECT_NEAR(replayed(first, half).software_us, 2 * replayed(first).software_us, 0.01);
}

TEST(Replay, RanksHavePlaces) {
  ReplayConfig config{.width = 8, .height = 8};
  const std::string pair = line("MPI_Bcast", 0, {0, 63}, 8, 0, 10, R"(,"root":0)");
  const auto cycles = [&](const std::string& places) {
    config.places = places;
    return replayed(pair, config).rows.front().software_cycles;
  };
  std::string beside = "0";
  for (int node = 2; node < 64; ++node) beside += "," + std::to_string(node);
  // Rank 63 is 14 links away from rank 0 by rows, one link in the list: 5 cycles each.
  EXPECT_DOUBLE_EQ(cycles("rows") - cycles(beside + ",1"), 13 * 5);
  EXPECT_DOUBLE_EQ(cycles("columns"), cycles("rows"));
  EXPECT_DOUBLE_EQ(cycles("rows") - cycles("snake"), 7 * 5);
}

TEST(Replay, PlacesAreChecked) {
  const Mesh mesh(3, 2, false, Routing::yx);
  EXPECT_EQ(place_ranks(mesh, "rows", 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(place_ranks(mesh, "columns", 4), (std::vector<int>{0, 3, 1, 4}));
  EXPECT_EQ(place_ranks(mesh, "snake", 6), (std::vector<int>{0, 1, 2, 5, 4, 3}));
  EXPECT_EQ(place_ranks(mesh, "5,0", 2), (std::vector<int>{5, 0}));
  for (const char* wrong : {"", "0,1,", "0,6", "1,1", "-1,2", "diagonal"})
    EXPECT_THROW(place_ranks(mesh, wrong, 2), UsageError) << wrong;
  EXPECT_THROW(place_ranks(mesh, "5", 2), Error);
}

TEST(Replay, IntercommunicatorsWork) {
  const auto inter = [](const std::string& operation, const std::string& root) {
    return R"({"operation":")" + operation + R"(","communicator":"","id":3,"size":5,)" + root +
           R"("ranks":[0,1,0,1,2],"sides":[0,0,1,1,1],"job_ranks":[0,1,4,5,6],"bytes":[8,8,8,8,8],)"
           R"("begin_us":[0,0,0,0,0],"end_us":[9,9,9,9,9]})"
           "\n";
  };
  const std::string root = R"("root":1,"root_side":0,)";
  for (const auto& [operation, named] : {std::pair("MPI_Barrier", std::string()),
                                         {"MPI_Allreduce", ""},
                                         {"MPI_Bcast", root},
                                         {"MPI_Reduce", root},
                                         {"MPI_Gather", root}}) {
    const ReplayReport report = replayed(inter(operation, named));
    EXPECT_EQ(report.ranks, 5) << operation;
    ASSERT_EQ(report.rows.size(), 1u);
    EXPECT_TRUE(report.rows[0].supported) << operation;
    EXPECT_GT(report.rows[0].software_cycles, 100) << operation;
  }
  // A broadcast from rank 1 of one group goes to the three of the other.
  const double four =
      replayed(line("MPI_Bcast", 0, {1, 4, 5, 6}, 8, 0, 9, R"(,"root":0)")).rows[0].software_cycles;
  EXPECT_DOUBLE_EQ(replayed(inter("MPI_Bcast", root)).rows[0].software_cycles, four);
}

TEST(Replay, CallsThatDoNotBlockDoNotHoldTheirRank) {
  const std::string long_after = line("MPI_Barrier", 0, {0, 1}, 0, 50, 60);
  const ReplayReport report = replayed(line("MPI_Iallreduce", 0, {0, 1}, 8, 0, 0) +
                                       line("MPI_Ibcast", 0, {0, 1}, 8, 0, 0, R"(,"root":1)") + long_after);
  EXPECT_EQ(report.rows.size(), 3u);
  EXPECT_LT(report.software_us, 50 + replayed(line("MPI_Barrier", 0, {0, 1}, 0, 0, 10)).software_us + 0.01);
}

TEST(Replay, CallsWithLargeCountsAreTheSameCollective) {
  const auto of = [](const std::string& operation) {
    return replayed(line(operation, 0, {0, 1, 2, 3}, 8, 0, 10, R"(,"root":1)")).rows.front();
  };
  for (const std::string operation : {"MPI_Bcast", "MPI_Ireduce", "MPI_Allreduce", "MPI_Gather"}) {
    EXPECT_TRUE(of(operation + "_c").supported) << operation;
    EXPECT_EQ(of(operation + "_c").software_cycles, of(operation).software_cycles) << operation;
  }
}

TEST(Replay, CallsOfNoBytesSaveNothing) {
  for (const Costs& costs : {fair_costs(), paper2017_costs()})
    EXPECT_DOUBLE_EQ(
        replayed(line("MPI_Bcast", 0, {0, 1}, 0, 0, 10, R"(,"root":0)"), {}, costs).program_speedup(), 1);
}

TEST(Replay, AnOrderThatCanNotEndIsRefused) {
  // Rank 0 is in A before B, rank 1 in B before A.
  const std::string head =
      R"({"operation":"MPI_Barrier","communicator":"","size":2,"ranks":[0,1],"job_ranks":[0,1],"bytes":[0,0],)";
  const std::string text = head +
                           R"("id":0,"begin_us":[0,20],"end_us":[10,30]})"
                           "\n" +
                           head +
                           R"("id":1,"begin_us":[20,0],"end_us":[30,10]})"
                           "\n";
  try {
    replayed(text);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "the calls of the trace can not end in this order: rank 0 waits in MPI_Barrier of communicator 0");
  }
}

TEST(Replay, ProgressGoesToAllCalls) {
  std::string text;
  for (int call = 0; call < 250; ++call) text += line("MPI_Barrier", 0, {0, 1}, 0, call, call + 1);
  int told = 0, last = 0, all = 0;
  replay(parse_trace(text, "t"), {}, fair_costs(), [&](int done, int of) {
    ++told;
    EXPECT_GE(done, last);
    last = done;
    all = of;
  });
  EXPECT_EQ(last, 500);
  EXPECT_EQ(all, 500);
  EXPECT_LE(told, 101);
}

std::string call_of(const std::string& operation, const std::string& rest) {
  return R"({"operation": ")" + operation +
         R"(", "id": 0, "ranks": [0, 1], "job_ranks": [0, 1], "begin_us": [0, 0], "end_us": [5, 10], )" +
         rest + "}";
}

TEST(Replay, LinesThatCanNotBeAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {call_of("MPI_\\nBcast", R"("size": 2, "bytes": [8, 8])"),
       "t:1: operation is not the name of an MPI call"},
      {call_of("MPI_Bcast", R"("size": 2.5, "bytes": [8, 8])"), "t:1: size is not a whole number"},
      {call_of("MPI_Bcast", R"("size": 4294967298, "bytes": [8, 8])"), "t:1: size is not from 0 to 16384"},
      {call_of("MPI_Bcast", R"("size": 18446744073709551615, "bytes": [8, 8])"),
       "t:1: size is not from 0 to 16384"},
      {call_of("MPI_Bcast", R"("size": 2, "bytes": [8, 8.5])"),
       "t:1: an entry of bytes is not a whole number"},
      {call_of("MPI_Bcast", R"("size": 2, "bytes": [8])"),
       "t:1: bytes is not a list with an entry for each of the 2 members"},
      {call_of("MPI_Bcast", R"("size": 3, "bytes": [8, 8, 8])"),
       "t:1: ranks is not a list with an entry for each of the 3 members"},
      {call_of("MPI_Bcast", R"("size": 2, "root": 5, "bytes": [8, 8])"),
       "t:1: the root is not in the communicator"},
      {call_of("MPI_Bcast", R"("size": 2, "mismatch": "MPI_Barrier", "bytes": [8, 8])"),
       "t:1: members are in different calls"},
      {R"({"operation": "MPI_Barrier", "size": 2, "ranks": [0, 1], "bytes": [0, 0], "begin_us": [0, 0], "end_us": [5, 10]})",
       "t:1: id is missing; traces of an older marun do not have it"},
      {line("MPI_Barrier", 0, {1, 1}, 0, 0, 1), "t:1: a member is there twice"},
      {line("MPI_Barrier", 0, {0, 1}, 0, 0, 1) + line("MPI_Barrier", 0, {0, 2}, 0, 2, 3),
       "t:2: the communicator 0 has had other members in an earlier line"},
  };
  for (const auto& [text, expected] : cases) {
    try {
      parse_trace(text, "t");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), expected);
    }
  }
}

TEST(Replay, ACallOfATerabyteIsLeftToSoftware) {
  const std::string text = call_of("MPI_Allreduce", R"("size": 2, "bytes": [8, 1000000000000])");
  const ReplayReport report = replayed(text);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_FALSE(report.rows[0].supported);
  EXPECT_EQ(report.rows[0].left_to_software, 1u);
  EXPECT_DOUBLE_EQ(report.program_speedup(), 1);
  EXPECT_NEAR(report.software_us, 10, 0.01);  // the time that it took
}

TEST(Replay, FuzzedTracesAreReadOrRefusedWithTheirLine) {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string text = trace;
    for (std::uint64_t change = 1 + random.below(3); change > 0; --change) {
      const std::size_t place = random.below(text.size());
      if (random.below(2) == 0)
        text.erase(place, 1 + random.below(8));
      else
        text[place] = static_cast<char>(random.below(256));
    }
    try {
      parse_trace(text, "t");
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, 2), "t:");
    }
  }
}

}  // namespace
}  // namespace taihu::noc
