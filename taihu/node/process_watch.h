// SPDX-License-Identifier: Apache-2.0
// `--node-timeout`: node processes tell process 0 now and then that they live, and process 0 answers. Who
// hears nothing for too long says so and ends the job: the launchers of MPI libraries wait forever when a
// link is cut or a host is gone.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "taihu/launch/layout.h"
#include "taihu/message/endpoint.h"

namespace taihu::node {

class ProcessWatch {
 public:
  /// Runs once, on the thread of the watch, when `process` is lost; may end this process.
  using Lost = std::function<void(int process)>;

  /// Calls so often during the timeout. Silence is counted in these, not in time of the clock: a job that was
  /// stopped as a whole and goes on has lost nobody.
  static constexpr int calls_in_timeout = 5;

  /// Every node process of a job of several makes one, before its ranks run.
  ProcessWatch(message::Node& node, double timeout_seconds, Lost lost);

  /// Ends the watch. Process 0 hears of it and no longer waits for this process.
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  class Silences;

  void watch(double period_seconds);
  void call_process_0();

  message::Node& node_;
  const Lost lost_;
  const std::shared_ptr<Silences> silences_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::thread thread_;
};

/// One line about a process that is lost: its host, and the ranks that it has started with.
std::string lost_process(const launch::Layout& layout, int process, double timeout_seconds);

/// What a job does about a lost process: prints one line with its host, and ends the job. Does not return.
[[noreturn]] void end_job_without(message::Node& node, int process, double timeout_seconds);

}  // namespace taihu::node
