// SPDX-License-Identifier: Apache-2.0
// Runs the command of a job and ends it: signals, timeout, exit code. No process of the job is left behind.
#pragma once

#include <functional>
#include <string>

#include "taihu/launch/launch_plan.h"

namespace taihu::launch {

inline constexpr int timeout_exit_code = 124;

/// Starts the command of `plan` and waits for it. Returns the exit code of the job: that of the command, 128
/// + signal when a signal ended it, 124 after the timeout.
///
/// SIGINT, SIGTERM and SIGHUP are passed on (not those that the terminal sends to the whole group anyway);
/// the second one kills every process of the job. When this process itself is killed, the kernel ends the
/// command. Standard input, output and error are inherited. Call it from the main thread of a program without
/// other threads: it blocks these signals, becomes the reaper of the job's orphans, and must outlive its
/// child. `say` gets one line for the user when the job did not end by itself. Throws Error when the command
/// cannot be started.
int run_job(const LaunchPlan& plan, double timeout_seconds,
            const std::function<void(const std::string&)>& say);

}  // namespace taihu::launch
