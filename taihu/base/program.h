// SPDX-License-Identifier: Apache-2.0
// How programs end: one line for a person, and an exit code.
#pragma once

#include <functional>

namespace taihu {

/// Runs `body`, what main() of a program does, and returns its exit code: that of `body`; 2 when it throws
/// UsageError, 1 when it throws anything else or when standard output could not be written (a full disk).
/// Tells the cause in one line, "<line_begin>: <cause>", on standard error if `tells`: one rank of a job
/// does. `line_begin` is the program's name; compilers add what they add to all their messages, "macc:
/// error".
int run_program(const char* line_begin, const std::function<int()>& body, bool tells = true);

/// Shows "25% (3 of 12)" in one line of standard error that it writes again each time; empty where standard
/// error is no terminal.
std::function<void(int done, int all)> progress_on_terminal();

}  // namespace taihu
