// SPDX-License-Identifier: Apache-2.0
// `marun --deadlock-timeout`: a thread of every node process looks at what its ranks do. When all ranks of
// the job have been inside of the same MPI calls for the given time, every node process prints who waits for
// whom, with call and source line, and the job ends with exit code 1. A rank that computes, or that polls by
// MPI_Test, is never taken for stuck; one whose program has ended counts as stuck, since nobody will hear
// from it again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "taihu/message/endpoint.h"

namespace taihu::mpi {

class Rank;

class DeadlockWatch {
 public:
  /// `ranks`: those of this node process. All node processes of the job make one, before their ranks run.
  DeadlockWatch(message::Node& node, std::vector<Rank*> ranks, double timeout_seconds);
  /// Ends the watch; before the node finishes.
  ~DeadlockWatch();
  DeadlockWatch(const DeadlockWatch&) = delete;
  DeadlockWatch& operator=(const DeadlockWatch&) = delete;

 private:
  struct Progress {
    std::vector<std::uint64_t> calls;  ///< by record: how many calls its thread has begun
    bool all_inside = false;
    bool operator==(const Progress&) const = default;
  };
  Progress look() const;
  void watch();
  bool job_is_stuck(bool stuck_here);
  void serve(std::shared_ptr<message::ServiceCall> call);

  message::Node& node_;
  const std::vector<Rank*> ranks_;
  const std::chrono::duration<double> timeout_;
  std::mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ = false;
  std::mutex stuck_mutex_;
  std::vector<bool> stuck_;  ///< process 0: which node processes are; guarded by stuck_mutex_
  std::thread thread_;
};

/// Who of the ranks waits for whom, a line each.
std::string waiting_ranks(const std::vector<Rank*>& ranks);

}  // namespace taihu::mpi
