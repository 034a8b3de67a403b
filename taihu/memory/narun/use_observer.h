// SPDX-License-Identifier: Apache-2.0
// Sees for a while which threads use which places of the large blocks: a timer of its own processor time
// interrupts each thread now and then, and the instructions that it is about to run tell what they address.
// Nothing is protected and no system call of the program can fail because of it.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "taihu/memory/naalloc/allocator.h"

namespace taihu::memory {

/// Whether this processor is supported (x86-64).
bool can_observe_use() noexcept;

/// One in a process.
class UseObserver {
 public:
  /// Called on the observer's own thread with what was seen, sorted by place.
  using Result = std::function<void(std::span<const ObservedUse>)>;

  /// `seconds` of processor time of the whole process are looked at: that makes the number of accesses seen
  /// the same on idle and on busy machines.
  UseObserver(const Allocator& allocator, double seconds, Result result);

  /// Begins to look unless it looks already or looked lately: at most a tenth of the time. Any thread. False
  /// when it did not begin; `errno` is 0 then, or tells what the system refused.
  bool start() noexcept;
  /// Ends a look without a result, and waits for that.
  void stop() noexcept;

 private:
  static void* run(void* self);
  void look();
  std::vector<ObservedUse> collect() const;
  bool choose_signal() noexcept;

  const Allocator& allocator_;
  const double seconds_;
  const Result result_;
  std::atomic<bool> looking_{false}, stopped_{false};
  std::atomic<std::int64_t> next_ns_{0};
  pthread_t thread_{};
  pid_t process_ = 0;  ///< that the thread lives in, not the child of a fork; 0: there was none yet
  int signal_ = 0;
};

}  // namespace taihu::memory
