// SPDX-License-Identifier: Apache-2.0
// `--node-timeout` before there is a connection: a node process that was stopped, or a host that was lost,
// while the node processes start would be waited for without end by the MPI library. Once all are connected,
// process_watch.h takes over.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace taihu::node {

class StartWatch {
 public:
  /// Runs once, on the thread of the watch, when the job has not started in time; may end this process.
  using Late = std::function<void()>;

  /// `number` is that of this node process: the first one speaks, and ends the job, others only when it does
  /// not.
  StartWatch(double timeout_seconds, long number, Late late);
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  void watch(double timeout_seconds, double patience_seconds);

  const Late late_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::thread thread_;
};

/// A process that the same launcher has started here, as this one, and that is stopped; 0: none.
int stopped_neighbour();

/// One line about a job that has not started; `stopped` as stopped_neighbour says.
std::string late_start(long number, const std::string& host, double timeout_seconds, int stopped);

/// What a node process does about it: prints the line and ends. Its launcher then ends the others.
[[noreturn]] void end_late_start(long number, double timeout_seconds);

}  // namespace taihu::node
