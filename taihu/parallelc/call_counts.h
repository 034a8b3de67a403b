// SPDX-License-Identifier: Apache-2.0
// What `parcrun --stats` and `--trace` know of a process: calls of the language by thread, and its kernels.
// Without these options and --deadlock-timeout a call pays two tests of constants.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/node/call_statistics.h"
#include "taihu/parallelc/waiting_calls.h"

namespace taihu::threads {
struct Spawn;
}

namespace taihu::parallelc {

struct Process;

/// Whether calls are counted. Set before ranks run, constant afterwards.
extern bool calls_wanted;

/// A call, or one thread's part of a kernel, for the trace.
struct TracedCall {
  const char* name;
  std::int64_t begin_ns,
      end_ns;  ///< since the epoch: clocks of several machines are only comparable that way
  std::int64_t bytes;
  int peer;  ///< rank; -1: none
};

/// How the runs of one kernel were divided among the threads of a process.
struct KernelTimes {
  std::uint64_t runs = 0;
  std::uint64_t elapsed_ns = 0;  ///< from the first thread that began to the last that ended
  std::uint64_t busy_ns = 0;     ///< of all threads, outside of calls of the language
  std::uint64_t longest_ns = 0;  ///< of the busiest thread in each run
};

/// Counts of a process. Any thread may add.
class CallCounts {
 public:
  /// `is_traced`: keeps every call, too.
  CallCounts(int accelerator_threads, bool is_traced);

  /// Of the calling thread.
  void add(const char* name, std::int64_t begin_ns, std::int64_t end_ns, std::int64_t bytes, int peer);
  void add_message(bool inside, std::uint64_t bytes);
  /// A call outside of the language by an accelerator thread.
  void add_proxied(const char* name);

  /// Makes a kernel that is timed: spawn `run` with the result as its argument, say what that gave, take it
  /// before the join and give it back to `ended` after it.
  struct TimedKernel;
  /// `entry(argument)` is called for `kernel`, which gives the name.
  TimedKernel* begin(void (*kernel)(void*), void (*entry)(void*), void* argument);
  static void run(void* timed_kernel);
  void started(const threads::Spawn* spawn, TimedKernel* kernel);
  TimedKernel* take(const threads::Spawn* spawn);
  void ended(TimedKernel* kernel);

  /// Thread 0 is process code, the accelerator threads follow.
  struct Thread {
    std::mutex mutex;
    node::CallTimes times;
    node::CallTimes proxied;  ///< no times
    std::int64_t in_calls_ns = 0;
    std::vector<TracedCall> trace;
  };
  std::vector<std::unique_ptr<Thread>>& threads() noexcept { return threads_; }
  std::map<std::string, KernelTimes> kernels();

 private:
  Thread& thread_of_caller() noexcept;

  const bool is_traced_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::mutex mutex_;  // guards those below
  std::map<void (*)(void*), std::string> names_;
  std::map<const threads::Spawn*, TimedKernel*> started_;
  std::map<std::string, KernelTimes> kernels_;
};

/// Others may learn by a call of the language how far the caller is: what it has printed is printed before.
/// In process.h.
inline void make_output_visible(Process& process) noexcept;

/// Says for the time of its life that the calling thread is in a call of the language. Of nested ones only
/// the outermost counts.
class CountedCall {
 public:
  /// `bytes`: what the call sends, gets or copies for this process; `peer`: the rank it is for or from.
  CountedCall(Process& process, const char* name, std::int64_t bytes = 0, int peer = -1) {
    make_output_visible(process);
    if (waits_wanted) [[unlikely]]
      note_call(process);
    if (calls_wanted) [[unlikely]]
      begin(process, name, bytes, peer);
  }
  ~CountedCall() {
    if (process_ != nullptr) [[unlikely]]
      end();
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  /// The data go to rank `peer` or are fetched from it: the call is a message.
  void is_message() noexcept {
    if (process_ != nullptr) [[unlikely]]
      note_message();
  }
  /// What was received, and from whom, is known now.
  void received(std::int64_t bytes, int peer) noexcept {
    bytes_ = bytes;
    peer_ = peer;
  }

 private:
  void begin(Process& process, const char* name, std::int64_t bytes, int peer);
  void end();
  void note_message() noexcept;

  Process* process_ = nullptr;  ///< null: not counted
  const char* name_ = nullptr;
  std::int64_t begin_ns_ = 0, bytes_ = 0;
  int peer_ = -1;
};

}  // namespace taihu::parallelc
