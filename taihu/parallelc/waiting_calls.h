// SPDX-License-Identifier: Apache-2.0
// For `parcrun --deadlock-timeout`: which calls and loops the threads of a rank wait in, and for what.
// Without the option a waiting call pays one test of a constant.
//
// Of a loop that waits (compiler/yield_pass.cc) the end is not seen: its thread still waits there when it has
// made turns in one of the last looks, which are fewer than a timeout has, and began no other loop.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/abi/parallelc.h"

namespace taihu::parallelc {

struct Process;

/// Whether waiting calls are noted. Set before ranks run, constant afterwards.
extern bool waits_wanted;

/// Says for the time of its life that the calling thread waits in `call`. `describe` says for what, such as
/// "for rank 3, tag 5"; it is asked at once and only when somebody wants to know.
class Waiting {
 public:
  template <class Describe>
  Waiting(Process& process, const char* call, Describe&& describe) {
    if (waits_wanted) [[unlikely]]
      begin(process, call, describe(), nullptr);
  }
  /// For `*word` to reach `count`: the report tells its value then.
  Waiting(Process& process, const char* call, const int* word, int count);
  ~Waiting() {
    if (process_ != nullptr) [[unlikely]]
      end();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// "taihu: rank 1 waits in m_recv for rank 0, tag 5, at ring.c:12".
  std::string line() const;
  bool is_in_kernel() const noexcept { return thread_ >= 0; }
  int thread() const noexcept { return thread_; }
  std::int64_t since_ns() const noexcept { return since_ns_; }

 private:
  void begin(Process& process, const char* call, std::string what, const int* word);
  void end();

  Process* process_ = nullptr;  ///< null: not noted
  const char* call_ = nullptr;
  std::string what_;
  const int* word_ = nullptr;
  int thread_ = -1;  ///< index of an accelerator thread
  std::int64_t since_ns_ = 0;
  std::array<void*, 8> frames_{};  ///< innermost call first
  int frame_count_ = 0;
};

/// The calling thread is in a call that need not wait. Only when waits_wanted.
void note_call(Process& process) noexcept;

/// Called in each turn of a loop that waits and returns to `place`, after so many `turns`. Only when
/// waits_wanted.
void note_turn(unsigned long long turns, const void* place);

/// The loops that a thread waits in; of the thread that runs them.
class WaitingLoops {
 public:
  WaitingLoops();
  ~WaitingLoops();
  WaitingLoops(const WaitingLoops&) = delete;
  WaitingLoops& operator=(const WaitingLoops&) = delete;

  void turn(unsigned long long turns, const void* place);
  // For the watch, which holds the mutex.
  /// Whether it waits. A thread that has got no core since the last look has made no turns.
  bool look();
  /// What the last look found.
  bool waits() const noexcept { return waits_; }
  /// "taihu: rank 1 waits in a loop, at ring.c:12".
  std::string line() const;
  bool is_in_kernel() const noexcept { return thread_ >= 0; }
  int thread() const noexcept { return thread_; }
  /// Since when looks have found that it waits.
  std::int64_t since_ns() const noexcept { return since_ns_; }

 private:
  Process* const process_;
  const int thread_;  ///< index of an accelerator thread
  std::atomic<const void*> place_{nullptr};
  std::atomic<std::uint64_t> turns_{0};
  std::uint64_t turns_seen_ = 0;
  int looks_without_turn_ = 0;
  std::int64_t since_ns_ = 0;
  bool waits_ = false;
};

/// What a process keeps of them.
struct WaitingCalls {
  std::mutex mutex;
  std::vector<const Waiting*> open;
  std::vector<WaitingLoops*> loops;
  /// Of an accelerator thread.
  struct Thread {
    std::int64_t came_back_ns = 0;      ///< when it was last seen in the runtime
    bool is_named = false;              ///< since then, as one that does not come back
    std::int64_t next_question_ns = 0;  ///< when it is asked again, after questions that it did not answer
    std::int64_t patience_ns = 0;       ///< between the last question and that one
    std::uint64_t calls_seen = 0;
  };
  std::vector<Thread> threads;  ///< by index
  void note_thread(int thread);
  /// Calls that wait for nobody, of each accelerator thread, which counts them itself. Made with the array.
  std::vector<std::atomic<std::uint64_t>> calls;
  /// Threads that have called since the last look are back. Holder of the mutex.
  void look_at_calls();
  std::uint64_t changes = 0;  ///< grows with every begin and end of a wait
  bool has_ended = false;     ///< the program; nobody will hear from it again
};

/// Load address of the file that `address` lies in; null when there is none.
const void* file_of(const void* address);

/// "CCC_ALL" and so on.
const char* name_of(m_scope_t scope) noexcept;

}  // namespace taihu::parallelc
