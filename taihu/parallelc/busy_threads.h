// SPDX-License-Identifier: Apache-2.0
// For `parcrun --deadlock-timeout`: names accelerator threads that compute, or wait in loops which nobody
// knows as such, while others of their array have waited for the whole timeout.
//
// Where such a thread is it says itself: a signal interrupts the threads of the system that run, and the one
// that carries it notes its stack. Threads that sleep in system calls are left alone, and asked again later.
#pragma once

#include <cstdint>
#include <string>

namespace taihu::parallelc {

struct Process;

class BusyThreads {
 public:
  /// Once per node process, before its ranks run. Takes SIGURG, which does nothing otherwise.
  explicit BusyThreads(double timeout_seconds);
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

  /// "taihu: rank 0, accelerator thread 3, has not come back to the runtime for 10 s while 5 others of its
  /// array wait, at solve.c:17", a line for each thread; each is named once until it comes back. On the
  /// thread of the watch, after it has looked; may take some 100 ms for each.
  std::string report(Process& process);

 private:
  const double timeout_seconds_;
  const std::int64_t timeout_ns_;
};

}  // namespace taihu::parallelc
