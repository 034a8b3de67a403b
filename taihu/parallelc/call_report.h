// SPDX-License-Identifier: Apache-2.0
// The end of `parcrun --stats` and `--trace`: what the processes have counted comes together in the first
// node process, which prints tables on standard error and writes the trace.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "taihu/message/endpoint.h"

namespace taihu::parallelc {

struct Process;

class CallReport {
 public:
  /// Before any rank runs, by all node processes of the job. `trace`: the file; empty: none.
  CallReport(message::Node& node, bool stats, std::string trace);

  /// All ranks of this node process have ended; all node processes call. In the first one it waits for the
  /// others. Throws Error when the file cannot be written.
  void finish(std::span<Process> processes);

 private:
  void receive(message::ServiceCall& call);
  void send(const std::string& text, char kind);
  void write_trace() const;

  message::Node& node_;
  const bool stats_;
  const std::string trace_;
  std::mutex mutex_;  // guards those below, on the first node process
  std::condition_variable arrived_;
  int missing_;                      ///< node processes that have not told everything
  std::vector<std::string> counts_;  ///< by node process: what counts_of gives
  std::vector<std::string> events_;  ///< by node process: lines of the trace
};

}  // namespace taihu::parallelc
