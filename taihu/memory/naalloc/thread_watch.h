// SPDX-License-Identifier: Apache-2.0
// Keeps the map of threads to nodes current: looks when it was never looked, when the number of OpenMP's
// threads changes, after a second (threads may have been bound anew), and in the child of a fork.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "taihu/memory/naalloc/log.h"
#include "taihu/memory/naalloc/thread_map.h"

namespace taihu::memory {

class ThreadWatch {
 public:
  /// `configured_threads`: that many are assumed, whatever OpenMP would use; 0: OpenMP's, else the caller
  /// alone.
  ThreadWatch(PageSystem& system, const NodeTable& nodes, int configured_threads, Log& log);

  /// Looks now; see naalloc_init.
  std::shared_ptr<const ThreadMap> look();
  /// The map, after a look if there is reason for one. Threads of OpenMP are only asked from the first thread
  /// of the process (or that of look()) outside of parallel regions: others would start a team of their own.
  std::shared_ptr<const ThreadMap> current();
  /// The caller is thread `thread` of a pool. Returns its place.
  ThreadPlace set_thread(int thread);

  /// The child has one thread, and a runtime whose threads are gone must not be called.
  void forked();
  std::mutex& mutex() noexcept { return mutex_; }  ///< held over fork()

 private:
  using Map = std::shared_ptr<const ThreadMap>;
  bool may_run_team() const noexcept;
  bool asking() const noexcept { return asked_by_ == gettid(); }
  Map look_somehow(bool asked);
  Map publish(ThreadMap map);

  PageSystem& system_;
  const NodeTable& nodes_;
  int configured_threads_;
  Log& log_;
  std::mutex mutex_;  ///< guards map_ and pool_; never held while threads are asked
  Map map_;
  std::vector<ThreadPlace> pool_;  ///< of set_thread
  std::atomic<std::int64_t> looked_ns_{0};
  std::atomic<int> asking_thread_;  ///< thread number of the system that may run teams
  std::atomic<int> asked_by_{
      0};  ///< thread that asks its team now: what the runtime allocates meanwhile takes the map as it is
  std::atomic<bool> forked_{false};
};

}  // namespace taihu::memory
