// SPDX-License-Identifier: Apache-2.0
// For tests whose threads wait for each other: ranks of a job, members of a group.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace taihu {

/// Each thread calls it behind its part of a test. A failed ASSERT has left that part early, and the others
/// would wait for what does not come until ctest's time is over: ends the program then.
inline void end_program_on_failure() {
  if (!testing::Test::HasFatalFailure()) return;
  std::fputs("a member has failed (see above); the others cannot go on\n", stderr);
  std::_Exit(1);
}

}  // namespace taihu
