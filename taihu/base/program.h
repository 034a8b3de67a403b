// SPDX-License-Identifier: Apache-2.0
// How programs end: one line for a person, and an exit code.
#pragma once

#include <functional>

namespace taihu {

/// Runs `body`, what main() of a program does, and returns its exit code: that of `body`; 2 when it throws
/// UsageError, 1 when it throws anything else or when standard output could not be written (a full disk).
/// Tells the cause in one line, "<name>: <cause>", on standard error if `tells`: one rank of a job does.
int run_program(const char* name, const std::function<int()>& body, bool tells = true);

}  // namespace taihu
