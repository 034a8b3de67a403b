// SPDX-License-Identifier: Apache-2.0
// The node process of a Parallel C job: hosts its share of the ranks as threads. Started by parcrun or by an
// MPI launcher on its behalf.
#pragma once

namespace taihu::parallelc {

/// Runs `argv[1]` with the arguments behind it as the ranks of this node process, as the TAIHU_ variables
/// say, and returns the exit code: 0 when all ranks ended with 0. Prints one line and returns 1 or 2 when the
/// job cannot be started.
int node_process_main(int argc, char** argv);

}  // namespace taihu::parallelc
