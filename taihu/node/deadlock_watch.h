// SPDX-License-Identifier: Apache-2.0
// A thread of every node process looks at what its ranks do. When all ranks of the job have been waiting in
// the same calls for the time of `--deadlock-timeout`, every node process prints who waits for whom, with
// call and source line, and the job ends with exit code 1. It ends so after two seconds already when what
// the ranks wait for can never happen because their calls contradict each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
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
  /// What it asks about the ranks; runs on the thread of the watch.
  struct Questions {
    std::function<Progress()> look;
    std::function<std::string()> report;  ///< a line for each rank that waits
    /// What the ranks here wait for, for the next one; null: contradictions are not looked for.
    std::function<std::string()> calls = nullptr;
    /// On process 0, perhaps on a thread that serves others: which of the calls of all node processes can
    /// never end because they contradict each other, in a line; empty: none.
    std::function<std::string(const std::vector<std::string>& calls)> contradiction = nullptr;
  };

  /// All node processes of the job make one, before their ranks run. A timeout of 0: never; then only
  /// contradictions end the job.
  DeadlockWatch(message::Node& node, double timeout_seconds, Questions questions);
  ~DeadlockWatch();
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

 private:
  class StuckProcesses;
  enum class Verdict : char { goes_on, stuck, contradicts };
  using Seconds = std::chrono::duration<double>;

  void watch();
  Verdict ask_all(Seconds unchanged_for);
  void report(Verdict verdict);

  message::Node& node_;
  const Questions questions_;
  const Seconds timeout_;   ///< never: infinite
  const Seconds interval_;  ///< between two looks
  std::shared_ptr<StuckProcesses> processes_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace taihu::node
