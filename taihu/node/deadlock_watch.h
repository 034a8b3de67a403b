// SPDX-License-Identifier: Apache-2.0
// `--deadlock-timeout`: a thread of every node process looks at what its ranks do. When all ranks of the job
// have been waiting in the same calls for the given time, every node process prints who waits for whom, with
// call and source line, and the job ends with exit code 1.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "taihu/message/endpoint.h"

namespace taihu::node {

class DeadlockWatch {
 public:
  /// What the ranks of this node process do.
  struct Progress {
    std::vector<std::uint64_t> calls;  ///< numbers that change whenever a rank goes on
    bool all_wait = false;             ///< none of the ranks computes
    bool operator==(const Progress&) const = default;
  };
  /// Both run on the thread of the watch; the second gives a line for each rank that waits.
  using Look = std::function<Progress()>;
  using Report = std::function<std::string()>;

  /// All node processes of the job make one, before their ranks run.
  DeadlockWatch(message::Node& node, double timeout_seconds, Look look, Report report);
  ~DeadlockWatch();
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

 private:
  void watch();
  bool job_is_stuck(bool stuck_here);

  message::Node& node_;
  const Look look_;
  const Report report_;
  const std::chrono::duration<double> timeout_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace taihu::node
