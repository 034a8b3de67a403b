// SPDX-License-Identifier: Apache-2.0
// How many ranks the machine can hold: every rank is a thread with its own mappings and memory.
#pragma once

#include <string>
#include <vector>

namespace taihu::launch {

struct RankLimit {
  long ranks = 0;
  enum class Of { node, node_process } of = Of::node;
  std::string reason;  ///< which setting it comes from, with its value
};

/// The limits of this machine for processes of this user. `root`: the folder of /proc and /sys, empty except
/// in tests. A setting that cannot be read is no limit.
std::vector<RankLimit> rank_limits(const std::string& root = {});

/// Throws UsageError with one line that names the limit when `ranks` on `nodes` nodes with `processes` node
/// processes on each do not fit.
void check_rank_limits(const std::vector<RankLimit>& limits, int ranks, int nodes, int processes);

}  // namespace taihu::launch
