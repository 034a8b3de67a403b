// SPDX-License-Identifier: Apache-2.0
// The whole of a command that starts jobs.
#pragma once

#include <string>

#include "taihu/launch/command_line.h"

namespace taihu::launch {

/// What main of parcrun or marun does. `version` is that of Taihu. Returns the exit code: that of the job, 1
/// when it cannot be started, 2 for wrong use. Messages for the user go to standard error.
int run_command(const LaunchCommand& command, const std::string& version, int argc, char** argv);

}  // namespace taihu::launch
