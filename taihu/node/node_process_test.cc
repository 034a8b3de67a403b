// SPDX-License-Identifier: Apache-2.0
// How a node process refuses a job, before any rank runs. How it runs one is tested with whole programs
// (tests/ranks, tests/programs, tests/failures).
#include "taihu/node/node_process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::node {
namespace {

class LanguageForTests final : public Language {
 public:
  const char* launcher() const noexcept override { return "testrun"; }
  void check(const memory::ImageTemplate&) override { throw Error("not of this language"); }
  void prepare(const Preparation&, std::span<memory::RankIdentity>) override {
    throw Error("a job that is refused is never prepared");
  }
};

/// Runs the words as a node process with the variables; ends the calling process with its code.
[[noreturn]] void run(const std::vector<std::string>& variables, std::vector<std::string> words) {
  unsetenv("TAIHU_MPI");
  for (const std::string& variable : variables) {
    const std::size_t middle = variable.find('=');
    setenv(variable.substr(0, middle).c_str(), variable.substr(middle + 1).c_str(), 1);
  }
  std::vector<char*> arguments;
  words.insert(words.begin(), "node-process");
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  LanguageForTests language;
  std::_Exit(run_node_process(language, static_cast<int>(words.size()), arguments.data()));
}

TEST(NodeProcessDeathTest, WithoutAProgramItIsWrongUse) {
  EXPECT_EXIT(run({}, {}), testing::ExitedWithCode(2), "^testrun: no program given");
}

TEST(NodeProcessDeathTest, RefusesVariablesThatAreNoJob) {
  EXPECT_EXIT(run({"TAIHU_RANKS=many"}, {"/bin/true"}), testing::ExitedWithCode(1),
              "^testrun: .*TAIHU_RANKS");
  EXPECT_EXIT(run({"TAIHU_RANKS=2", "TAIHU_PROCESSES=3"}, {"/bin/true"}), testing::ExitedWithCode(1),
              "^testrun: TAIHU_PROCESSES is larger than TAIHU_RANKS");
}

TEST(NodeProcessDeathTest, RefusesProgramsThatItCannotLoad) {
  EXPECT_EXIT(run({}, {"/nonexistent/program"}), testing::ExitedWithCode(1),
              "^testrun: .*/nonexistent/program");
  EXPECT_EXIT(run({}, {"/etc/passwd"}), testing::ExitedWithCode(1), "^testrun: .*/etc/passwd");
}

TEST(NodeProcessDeathTest, RefusesProgramsThatTheLanguageRefuses) {
  EXPECT_EXIT(run({}, {"/bin/true"}), testing::ExitedWithCode(1), "^testrun: not of this language\n$");
}

}  // namespace
}  // namespace taihu::node
