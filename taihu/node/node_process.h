// SPDX-License-Identifier: Apache-2.0
// A node process: hosts its share of the ranks of a job as threads. Started by the launcher command of a
// language, or by an MPI launcher on its behalf.
#pragma once

#include "taihu/node/language.h"

namespace taihu::node {

/// Runs `argv[1]` with the arguments behind it as the ranks of this node process, as the TAIHU_ variables
/// say. Ends the process with the exit code of the job: 0 when all ranks ended with 0. Prints one line and
/// returns 1 or 2 when the job cannot be started. Once per process.
int run_node_process(Language& language, int argc, char** argv);

/// Ends all node processes of the job with `code`. A code that the system would cut to 0 becomes 1, unless it
/// is 0. Flushes the streams of the caller's rank. Any thread, once the ranks are prepared.
[[noreturn]] void abort_job(int code);

}  // namespace taihu::node
