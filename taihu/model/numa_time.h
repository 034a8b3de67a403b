// SPDX-License-Identifier: Apache-2.0
// The time of a memory-bound solve on a machine with several memory nodes:
//
//   sweep(M) = max( max_n S_n / memory_n,                    S_n  = sum over threads t of M[t][n]
//                   max_{a != b} L_ab / link_ab,             L_ab = sum over threads t on node a of M[t][b]
//                   max_t sum_n M[t][n] / core(home_t, n) )  core = core_local where n is t's node, else
//                   core_remote
//              + barrier * ceil(log2(threads))
//   solve(M) = sweeps * sweep(M) + other,    other = (1/f - 1) * sweeps * total / core_local / threads
//
// f is the share of a one-thread solve, everything local, that reads the data of M; the rest of the work
// divides evenly among the threads. M[t][n] are the bytes that thread t reads from node n in one sweep.
// Nothing overlaps but the three resources of a sweep; caches keep nothing from sweep to sweep; links to
// different nodes do not disturb each other.
#pragma once

#include <string>

#include "taihu/model/numa_machine.h"
#include "taihu/model/numa_traffic.h"

namespace taihu::model {

struct NumaSolve {
  double sweeps = 1;        ///< times that the data are read
  double stream_share = 1;  ///< f, above 0, at most 1
};

/// Seconds, and the resource that the sweeps wait for.
struct NumaTime {
  double seconds = 0;
  double sweep_seconds = 0;
  std::string limit;  ///< "memory of node 0", "link from node 0 to node 1", "thread 3"
};

/// The nodes of `traffic` are those of `machine`. Throws Error when a thread or byte is on a node it does not
/// have, or when the numbers of `solve` are out of range.
NumaTime numa_time(const NumaMachine& machine, const NumaTraffic& traffic, const NumaSolve& solve);

}  // namespace taihu::model
