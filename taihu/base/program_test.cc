// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "taihu/base/error.h"
#include "taihu/base/nearest.h"

namespace taihu {
namespace {

int throws_usage() {
  throw UsageError("no such option");
}

TEST(Program, TellsTheCauseInOneLine) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program("a", [] { return 5; }), 5);
  EXPECT_EQ(run_program("b", throws_usage), 2);
  EXPECT_EQ(run_program("c", []() -> int { throw Error("no file"); }), 1);
  EXPECT_EQ(run_program("d", []() -> int { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(run_program("e", throws_usage, false), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "b: no such option\nc: no file\nd: there is not enough memory\n");
}

TEST(Program, LostOutputIsAFailure) {
  std::fflush(stdout);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  close(pipe_ends[0]);  // nobody reads
  const auto handler = signal(SIGPIPE, SIG_IGN);
  const int before = dup(STDOUT_FILENO);
  dup2(pipe_ends[1], STDOUT_FILENO);
  testing::internal::CaptureStderr();
  const int code = run_program("a", [] { return std::puts("result") < 0 ? 3 : 0; });
  dup2(before, STDOUT_FILENO);
  close(before);
  close(pipe_ends[1]);
  signal(SIGPIPE, handler);
  std::clearerr(stdout);
  EXPECT_EQ(code, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a: cannot write standard output (Broken pipe)\n");
}

TEST(Nearest, FindsMisspelledWords) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", "acb"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(nearest("--tread", {"--threads", "--timeout"}), "--threads");
  EXPECT_EQ(nearest("--zzzzzz", {"--threads", "--timeout"}), "");
  EXPECT_EQ(nearest("x", {"y"}), "");
  EXPECT_EQ(suggestion("--bindd", {"--bind"}), " (did you mean --bind?)");
}

}  // namespace
}  // namespace taihu
