// SPDX-License-Identifier: Apache-2.0
// Many accelerator threads on few cores: each is a thread of the operating system, with its own stack, guard
// page and thread-local storage, but its code runs as a context on a few of these threads, the carriers, one
// for each core. Contexts that wait give way to the next one of their ring, which costs nanoseconds.
//
// A ring is the contexts that take turns on one carrier. A context that does not give way (a long
// computation, a system call that blocks, a loop that waits for a variable) keeps its carrier, and after some
// milliseconds the others of its ring go on on the thread of another: a watchman looks after that. Until its
// kernel ends such a context is an ordinary thread, which the system schedules. So nothing that works with
// threads of the system stops here, it only costs as much as there.
//
// A thread that starts a kernel and waits for it carries the first ring meanwhile, so that no more threads
// run than there are cores. Between kernels nobody carries that ring.
//
// The threads that carry nothing sleep, on small stacks of their own, with signals blocked: they must not
// touch their thread-local storage, which belongs to the context that runs elsewhere.
//
// Sanitizers keep what they know of a thread in its thread-local storage, so to them a context is the same
// thread with the same stack, whoever carries it, and a switch orders nothing. Only what carriers run must
// not be instrumented: the sources that CMakeLists.txt names.
//
// Not the same as with threads of the system: signal masks and priority-inheriting mutexes belong to the
// carrier.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "taihu/base/sanitizers.h"
#include "taihu/threads/grouped_count.h"
#include "taihu/threads/waiting.h"
#include "taihu/threads/while_waiting.h"

namespace taihu::threads {

class Crew;
struct Ring;
struct Carrier;

/// An accelerator thread that is a context. Debuggers read the first fields, as they are here
/// (commands/gdb/taihu.py).
struct Context {
  Context* next_of_all = nullptr;  ///< of all contexts of the process
  void* stack = nullptr;           ///< where it is saved while it does not run
  std::uintptr_t thread = 0;
  std::atomic<Ring*> ring{nullptr};  ///< null: has a thread of its own
  std::int32_t rank = -1;            ///< whose accelerator thread it is
  std::int32_t index = -1;           ///< in its array
  Crew* crew = nullptr;
  Ring* home = nullptr;
  int group = 0;               ///< number of its home ring, for GroupedCount
  Carrier* carrier = nullptr;  ///< when it has a thread of its own: that
  // In the order of turns; guarded by the ring.
  Context* next = nullptr;
  Context* previous = nullptr;
  // What it waits for: that *word is not `seen`; null: for nothing. Whoever changes the word rings `bell`, or
  // wakes the sleepers on the word itself when it is null.
  const std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t seen = 0;
  Doorbell* bell = nullptr;

  bool is_ready() const noexcept { return word == nullptr || word->load(std::memory_order_acquire) != seen; }
};

class Crew {
 public:
  /// For `members` threads on `carriers` <= members cores, which wait for `idle_word` to change between
  /// kernels; of `rank`, as debuggers show it. Throws Error when the system refuses memory or the watchman's
  /// thread.
  Crew(int members, int carriers, const std::atomic<std::uint32_t>& idle_word, int rank = -1);
  /// All threads have ended.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Makes the calling thread a context and returns when it gets its first turn; false: the crew has been
  /// dissolved before. Each member once, on the thread that is its own.
  bool enter(int member) noexcept;
  /// The calling context, `me`, has no kernel any more: one with a thread of its own comes back to its ring.
  void come_back(Context& me) noexcept;
  /// The calling context has ended: returns on the thread that is its own, when all have.
  void leave() noexcept;
  /// Those who have entered return, and those who will: before all members have entered.
  void dissolve() noexcept;

  /// Whether the calling thread, none of the array, carries the first ring from now on: then it starts a
  /// kernel and calls carry_until.
  bool claim() noexcept;
  /// Returns when `over` is true, or when others carry the ring.
  void carry_until(const std::atomic<bool>& over, WhileWaiting meanwhile) noexcept;
  /// The idle word has changed: somebody carries the first ring.
  void wake() noexcept;

  /// A kernel starts: the watchman looks.
  void kernel_starts() noexcept {
    kernels_.store(kernels_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    watch_.ring();
  }
  /// Ends with as many calls as `kernel_starts`.
  void kernel_ends() noexcept {
    kernels_.store(kernels_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  friend struct Carrier;
  friend struct Ring;

  [[noreturn]] void carry(Carrier& carrier) noexcept;
  [[noreturn]] void go_home(Carrier& carrier) noexcept;
  void assign(Ring& ring, Context* lone) noexcept;
  void find_own_core(Ring& ring) noexcept;
  void show_to_debuggers(int rank) noexcept;
  void hide_from_debuggers() noexcept;
  void watch();
  void look_after(Ring& ring) noexcept;

  const int members_;
  std::unique_ptr<Context[]> contexts_;
  std::unique_ptr<Carrier[]> carriers_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::uint32_t claims_ = 0;         ///< so far; of who claims
  std::unique_ptr<Context> joiner_;  ///< who claims the first ring, with what it keeps as its carrier
  std::unique_ptr<Carrier> joiner_carrier_;
  void* stacks_ = nullptr;

  std::atomic<int> missing_;     ///< members that have not entered
  std::atomic<int> rings_left_;  ///< with contexts
  std::atomic<bool> stops_{false};
  std::atomic<std::uint32_t> kernels_{0};  ///< started and ended: odd while one runs
  Doorbell watch_;
  std::thread watchman_;
};

/// All contexts of the process, by `next_of_all`: for debuggers, while the process stands still.
extern Context* all_contexts;

namespace detail {
extern constinit __attribute__((tls_model("initial-exec"))) thread_local Context* current_context;
/// wait_in_context, as the sources see it that no sanitizer instruments.
bool wait_for_turn(Context& me, Doorbell& bell, const std::atomic<std::uint32_t>& word,
                   std::uint32_t seen) noexcept;
}  // namespace detail

/// In the context `me`: as below.
inline bool wait_in_context(Context& me, Doorbell& bell, const std::atomic<std::uint32_t>& word,
                            std::uint32_t seen) noexcept {
  const bool is_over = detail::wait_for_turn(me, bell, word, seen);
#if TAIHU_THREAD_SANITIZER
  word.load(std::memory_order_acquire);  // the look that ended the wait was out of the sanitizer's sight
#endif
  return is_over;
}

/// The group of the calling member for a GroupedCount with as many groups as the array has rings.
inline int current_group() noexcept {
  return detail::current_context != nullptr ? detail::current_context->group : 0;
}

/// In a context: waits until `word` is not `seen`, of which `bell` is rung, and is true. Else false.
inline bool wait_in_context(Doorbell& bell, const std::atomic<std::uint32_t>& word,
                            std::uint32_t seen) noexcept {
  Context* const me = detail::current_context;
  return me != nullptr && wait_in_context(*me, bell, word, seen);
}

/// In a context: the others of its ring take a turn. False: there are none, or it is no context.
bool give_way() noexcept;
/// In a context: sleeps while *word is `seen`, at most until waiters on it are woken; others run meanwhile.
/// False: it is none.
bool sleep_in_context(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept;

}  // namespace taihu::threads
