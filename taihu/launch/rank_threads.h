// SPDX-License-Identifier: Apache-2.0
// The ranks of a node process: one thread each, on its own cpus, until all have ended or one of them fails.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "taihu/launch/binding.h"
#include "taihu/memory/current_rank.h"

namespace taihu::launch {

struct RankThreadSettings {
  std::string host;                      ///< for reports
  std::size_t stack_bytes = 64 << 20;    ///< of every rank; mapped lazily
  std::span<const RankBinding> binding;  ///< one per rank; empty: no rank is bound
  /// Ends all node processes of the job with this exit code and does not return. Called by the thread that
  /// called run_ranks, never in a signal handler. Ranks are still running then. If it takes more than three
  /// seconds (the MPI library can hang in a process that crashed) the process ends by itself with the exit
  /// code.
  std::function<void(int exit_code)> abort_job;
};

/// Ranks that start while others run. Their threads are made by the thread that called run_ranks: what
/// threads inherit, such as cpus, signal masks and the working directory, is not that of the rank that wants
/// them.
class LateRanks {
 public:
  /// `refused` is called with the reason when the system gives no thread; `ended` when the rank has returned
  /// 0 and its thread is no more: the identity may be used for another rank then. Both by the thread of
  /// run_ranks; they must not wait. Ranks that end last are not told. The identities live until run_ranks
  /// returns. Any thread, while run_ranks runs.
  void start(memory::RankIdentity& identity, std::function<void(const std::string& problem)> refused,
             std::function<void()> ended);
  /// No rank will start any more: run_ranks returns when all have ended. Any thread.
  void close();

  struct Wanted {
    memory::RankIdentity* identity;
    std::function<void(const std::string&)> refused;
    std::function<void()> ended;
  };
  // For run_ranks.
  std::vector<Wanted> take();
  bool is_closed();

 private:
  std::mutex lock_;  // of all below
  std::vector<Wanted> wanted_;
  bool closed_ = false;
};

/// Runs `body` on a new thread for every identity, with memory::current_rank() set to it, and waits.
///
/// The identities must outlive every thread that works for a rank. Returns 0 when every rank returned 0. A
/// rank that returns another code is named on standard error and the job is ended with that code (as mpirun
/// does); a rank that crashes is reported (crash_report.h) and ends the job with 128 + signal; SIGTERM ends
/// the job with 143. Call it once at a time, from one thread; that thread sleeps meanwhile. Exceptions that
/// leave `body` count as an abort of the rank. Throws Error when the threads cannot be started; then no body
/// has run. With `late` it also runs, unbound, the ranks that start later, until that is closed.
int run_ranks(const RankThreadSettings& settings, std::span<memory::RankIdentity> identities,
              const std::function<int(memory::RankIdentity&)>& body, LateRanks* late = nullptr);

}  // namespace taihu::launch
