// SPDX-License-Identifier: Apache-2.0
// What --stats prints and --trace writes, of jobs whose calls are known.
#include "taihu/parallelc/call_report.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "taihu/abi/parallelc.h"
#include "taihu/base/error.h"
#include "taihu/base/sanitizers.h"
#include "taihu/parallelc/call_counts.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

constexpr int threads_of_rank = 2;

/// While one lives, calls are counted.
class Counting {
 public:
  Counting() { calls_wanted = true; }
  ~Counting() { calls_wanted = false; }
};

/// A job whose node processes report at its end. The parameter is their number.
class Report : public testing::TestWithParam<int> {
 protected:
  static constexpr int ranks = 3;

  Report() {
    char name[] = "/tmp/taihu-report-XXXXXX";
    folder_ = mkdtemp(name);
    for (int rank = 0; rank < ranks; ++rank)
      job_.process(rank).counts = std::make_unique<CallCounts>(threads_of_rank, true);
  }
  ~Report() override { std::filesystem::remove_all(folder_); }

  std::string trace() const { return folder_ + "/trace.json"; }

  /// What process 0 prints. Throws what its `finish` throws.
  std::string finish(bool stats, const std::string& trace) {
    std::vector<std::unique_ptr<CallReport>> reports;
    for (int process = 0; process < GetParam(); ++process)
      reports.push_back(std::make_unique<CallReport>(job_.node(process), stats, trace));
    testing::internal::CaptureStderr();
    std::vector<std::thread> others;
    for (int process = 1; process < GetParam(); ++process)
      others.emplace_back(
          [&, process] { reports[static_cast<std::size_t>(process)]->finish(job_.processes_of(process)); });
    std::string problem;
    try {
      reports[0]->finish(job_.processes_of(0));
    } catch (const Error& error) {
      problem = error.what();
    }
    for (std::thread& other : others) other.join();
    const std::string printed = testing::internal::GetCapturedStderr();
    return problem.empty() ? printed : problem;
  }

  nlohmann::json events() const {
    std::ifstream file(trace());
    return nlohmann::json::parse(file);
  }

  std::string folder_;
  ProcessesForTests job_{GetParam(), ranks, threads_of_rank, 4096};
};
INSTANTIATE_TEST_SUITE_P(NodeProcesses, Report, testing::Values(1, 2, 3));

/// The rows of all tables by their first word, which calls and kernels have for themselves.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& tables) {
  std::map<std::string, std::vector<std::string>> rows;
  std::istringstream lines(tables);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (!row.empty()) rows[row[0]] = row;
  }
  return rows;
}

void meet(void*) {
  m_barrier(CCC_ARRAY);
  m_test_msg(M_NO_HANDLE);
}

TEST_P(Report, CountsCallsOfAllNodeProcessesAndThreads) {
  const Counting counting;
  job_.run([&](int rank) {
    m_barrier(CCC_ALL);
    m_run(meet, nullptr);
    std::byte* const target = job_.segment(rank);
    std::array<char, 1000> data{};
    for (int i = 0; i < 4; ++i) m_msg_put_wait((rank + 1) % ranks, data.data(), target, sizeof data, nullptr);
    m_msg_get_wait(rank, target + 2 * sizeof data, data.data(), 1);  // which nobody writes
  });
  const std::string tables = finish(true, trace());
  auto rows = rows_of(tables);
  EXPECT_EQ(rows["m_barrier"].at(1), std::to_string(ranks + ranks * threads_of_rank)) << tables;
  EXPECT_EQ(rows["m_run"].at(1), std::to_string(ranks)) << tables;
  EXPECT_EQ(rows["m_msg_put_wait"].at(1), std::to_string(4 * ranks)) << tables;
  EXPECT_EQ(rows["m_msg_get_wait"].at(1), std::to_string(ranks)) << tables;
  EXPECT_NEAR(std::stod(rows["m_msg_put_wait"].at(5)), ranks * 4e-3, 1e-6) << tables;
  EXPECT_EQ(rows["proxied"].back(), std::to_string(ranks * threads_of_rank)) << tables;
  // The kernel and its runs: whatever the test program's debug information calls it.
  EXPECT_TRUE(std::regex_search(tables, std::regex("kernel +runs"))) << tables;

  std::map<std::string, int> spans;
  for (const auto& event : events()) {
    if (event.at("ph") != "X") continue;
    ++spans[event.at("name")];
    EXPECT_GE(event.at("dur"), 0);
    if (event.at("name") == "m_msg_put_wait") {
      EXPECT_EQ(event.at("args").at("bytes"), 1000);
      EXPECT_EQ(event.at("args").at("rank"), (event.at("pid").get<int>() + 1) % ranks);
    }
  }
  EXPECT_EQ(spans["m_barrier"], ranks + ranks * threads_of_rank);
  EXPECT_EQ(spans["m_msg_put_wait"], 4 * ranks);
}

TEST_P(Report, NothingHasHappened) {
  const std::string tables = finish(true, trace());
  EXPECT_NE(tables.find("Parallel C statistics of 3 ranks"), std::string::npos) << tables;
  EXPECT_EQ(rows_of(tables).count("m_barrier"), 0U) << tables;
  EXPECT_EQ(tables.find("proxied"), std::string::npos) << tables;
  for (const auto& event : events()) EXPECT_EQ(event.at("ph"), "M") << "only names of ranks";
  EXPECT_EQ(events().size(), 3U);
}

TEST_P(Report, OnlyWhatIsWanted) {
  EXPECT_EQ(finish(false, ""), "");
  EXPECT_FALSE(std::filesystem::exists(trace()));
}

/// Spans of a rank in a trace, which has a line for each event.
int spans_of(const std::string& text, int rank) {
  const std::string pid = "\"pid\":" + std::to_string(rank) + ",\"tid\"";
  int spans = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    spans += line.find("\"ph\":\"X\"") != std::string::npos && line.find(pid) != std::string::npos;
  return spans;
}

// The texts are longer than what travels at once.
/// Most of the time goes into reading the trace again, and most of all under the thread sanitizer. With two
/// node processes one has two ranks, and the other sends it pieces.
class LongReport : public Report {};
INSTANTIATE_TEST_SUITE_P(NodeProcesses, LongReport,
                         testing::Range(TAIHU_THREAD_SANITIZER ? 2 : 1, TAIHU_THREAD_SANITIZER ? 3 : 4));

TEST_P(LongReport, TracesComeWhole) {
  constexpr int calls = 20'000;
  {
    const Counting counting;
    job_.run([&](int) {
      for (int i = 0; i < calls; ++i) m_wait_msg(M_NO_HANDLE);
    });
  }
  finish(false, trace());
  EXPECT_GT(std::filesystem::file_size(trace()), std::size_t{3} << 20);
  // Read without making its values.
  std::ifstream file(trace());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(nlohmann::json::accept(text));
  for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(spans_of(text, rank), calls) << rank;
}

TEST_P(Report, ATraceThatCannotBeWrittenIsAnErrorWithItsName) {
  const std::string said = finish(false, folder_ + "/missing/trace.json");
  EXPECT_NE(said.find("missing/trace.json"), std::string::npos) << said;
}

}  // namespace
}  // namespace taihu::parallelc
