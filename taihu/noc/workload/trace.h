// SPDX-License-Identifier: Apache-2.0
// The trace of an MPI program (`marun --trace-collectives FILE`): one line of JSON per collective call.
#pragma once

#include <string>
#include <vector>

namespace taihu::noc {

/// What a member did in a call.
struct TracedMember {
  int job_rank = 0;
  int rank = 0;  ///< in its group
  int side = 0;  ///< which group of an intercommunicator; else 0
  std::size_t bytes = 0;
  double begin_us = 0, end_us = 0;
};

/// One line of a trace.
struct TracedCall {
  std::string operation;  ///< "MPI_Allreduce"
  int communicator = 0;   ///< its number in the trace
  bool inter = false;
  int root = -1;                       ///< index in `members`; -1: the call has none
  std::vector<TracedMember> members;   ///< all, by side and rank
  std::size_t bytes() const noexcept;  ///< the most of any member
  double last_begin_us() const noexcept;
};

/// Throws Error with file and line when a line is not what marun writes.
std::vector<TracedCall> read_trace(const std::string& path);
std::vector<TracedCall> parse_trace(const std::string& text, const std::string& path);

}  // namespace taihu::noc
