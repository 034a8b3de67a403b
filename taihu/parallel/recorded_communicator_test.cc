// SPDX-License-Identifier: Apache-2.0
// The text of a trace. That recorded calls do what others do is tested in communicator_test.cc.
#include "taihu/parallel/recorded_communicator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>

#include "taihu/base/input_file.h"
#include "taihu/parallel/ranks_for_tests.h"
#include "taihu/parallel/shared_error.h"

namespace taihu::parallel {
namespace {

/// The trace of all ranks, on the root.
void write_and_read(RecordedCommunicator& ranks, std::string& trace) {
  const std::string file = testing::TempDir() + "recorded_communicator_" + std::to_string(getpid());
  ranks.write_trace(file);
  if (!ranks.is_root()) return;
  trace = read_file(file);
  std::filesystem::remove(file);
}

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
    write_and_read(ranks, trace);
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
    write_and_read(ranks, trace);
  });
  EXPECT_EQ(
      trace,
      "taihu trace 1\nranks 2\nrank 0\nalltoall 8\nexchange 1:8 -\nrank 1\nalltoall 8\nexchange - 0:8\n");
}

/// What the ranks tell each other in write_trace, by rank: a recorder below the recorder.
TEST(RecordedCommunicator, TheRootAloneGetsTheLinesInPieces) {
  constexpr int calls = 100'000;
  const std::string line = "exchange - -\n";
  std::string trace, told;
  on_ranks(3, [&](Communicator& inner) {
    RecordedCommunicator below(inner), ranks(static_cast<Communicator&>(below));
    ranks.record(true);
    for (int call = 0; call < calls * ranks.rank(); ++call) ranks.start({}, {});
    ranks.record(false);
    below.record(true);
    write_and_read(ranks, trace);
    below.record(false);
    write_and_read(below, told);
  });
  std::string lines;
  for (int call = 0; call < calls; ++call) lines += line;
  EXPECT_TRUE(trace == "taihu trace 1\nranks 3\nrank 0\nrank 1\n" + lines + "rank 2\n" + lines + lines);
  const std::size_t piece = std::size_t{1} << 20, one = lines.size() - piece,
                    two = 2 * lines.size() - 2 * piece;
  const auto at = [](int rank, std::size_t bytes) {
    return std::to_string(rank) + ":" + std::to_string(bytes);
  };
  EXPECT_EQ(told, "taihu trace 1\nranks 3\nrank 0\nallgather 8\nexchange - " + at(1, piece) +
                      "\nexchange - " + at(1, one) + "\nexchange - " + at(2, piece) + "\nexchange - " +
                      at(2, piece) + "\nexchange - " + at(2, two) +
                      "\nallgather 8\nrank 1\nallgather 8\nexchange " + at(0, piece) + " -\nexchange " +
                      at(0, one) + " -\nallgather 8\nrank 2\nallgather 8\nexchange " + at(0, piece) +
                      " -\nexchange " + at(0, piece) + " -\nexchange " + at(0, two) + " -\nallgather 8\n");
}

TEST(RecordedCommunicator, ATraceThatCannotBeWrittenFailsOnAllRanks) {
  for (const char* const file : {"/nowhere/trace", "/dev/full"}) {
    std::atomic<int> failures{0};
    on_ranks(3, [&](Communicator& inner) {
      RecordedCommunicator ranks(inner);
      ranks.record(true);
      for (int call = 0; call < 1000; ++call) ranks.start({}, {});
      EXPECT_THROW(ranks.write_trace(file), SharedError);
      ++failures;
    });
    EXPECT_EQ(failures, 3) << file;
  }
}

}  // namespace
}  // namespace taihu::parallel
