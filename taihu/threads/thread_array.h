// SPDX-License-Identifier: Apache-2.0
// The accelerator threads of one rank: T persistent members that run kernels, one kernel at a time, in the
// order of the spawns.
//
// A spawn that finds the array idle publishes its kernel by advancing one generation counter, for which all
// members wait; else it is queued. Each member that has finished the kernel counts down; the last one
// publishes the next kernel and marks the finished one. A member can therefore never be more than one
// generation behind.
//
// Members are threads of the operating system, started at the first spawn; when they and the caller are more
// than the cores they are contexts, which take turns on a few of these threads (crew.h). Kernels always run
// on members, because a kernel has its own thread-local values and scratchpad; who waits for a kernel may
// lend them its thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "taihu/memory/current_rank.h"
#include "taihu/threads/array_barrier.h"
#include "taihu/threads/crew.h"
#include "taihu/threads/current_member.h"
#include "taihu/threads/dynamic_loop.h"
#include "taihu/threads/rendezvous.h"
#include "taihu/threads/waiting.h"
#include "taihu/threads/while_waiting.h"

namespace taihu::threads {

using Kernel = void (*)(void* argument);

struct ArrayOptions {
  int size = 1;  ///< members, at least 1
  /// One member per cpu when they suffice and members are no contexts, else all on all of them; none: free.
  std::vector<int> cpus;
  /// The caller of spawn and join runs on the same cpus: who waits gives them away at once.
  bool shares_cpus = false;
  /// Where contexts can be, members are contexts that share so many cores (crew.h) when they are more, or
  /// when the caller shares their cpus; 0: all are threads that the system schedules.
  int cores = 0;
  std::size_t stack_bytes = 0;           ///< of each member; 0: the system's default
  memory::RankIdentity* rank = nullptr;  ///< whose members they are
  /// Called on each member before its first kernel, and before it ends. They must not throw.
  std::function<void(Member&)> on_start;
  std::function<void(Member&)> on_stop;
  /// Called on a member whose kernel ends its thread instead of returning; must not return. None: the process
  /// is aborted.
  std::function<void(Member&)> on_kernel_exit;
  /// Called on a member when all have returned from a kernel, before the next one starts. Must not throw.
  std::function<void()> on_kernel_end;
  /// Called on a member that has returned from a kernel which others still run, if a WatchReturns lives. Must
  /// not throw.
  std::function<void()> on_return;
  /// Rung when a kernel has finished: where the rank sleeps. Null: one of the array.
  Doorbell* joiner = nullptr;
};

/// A kernel from `spawn` to `join`; owned by its array.
struct Spawn;

class ThreadArray {
 public:
  /// Starts nothing yet. Throws Error when `options` make no sense.
  explicit ThreadArray(ArrayOptions options);
  /// Ends the members. Every spawn must have been joined.
  ~ThreadArray();
  ThreadArray(const ThreadArray&) = delete;
  ThreadArray& operator=(const ThreadArray&) = delete;

  /// Lets all members call `kernel(argument)` after the kernels spawned before, and returns at once. Any
  /// thread but a member may call. The first call starts the members and throws Error when the system refuses
  /// them; later calls do not fail. An exception that a kernel does not catch ends in
  /// std::terminate where it is thrown.
  Spawn* spawn(Kernel kernel, void* argument);

  /// True when all members have returned from the kernel; what they wrote is visible then.
  bool finished(const Spawn* spawn) const noexcept;

  /// Waits until the kernel is finished and releases `spawn`. Any thread but a member may call, one per
  /// spawn.
  void join(Spawn* spawn, WhileWaiting meanwhile = {});

  /// spawn and join.
  void run(Kernel kernel, void* argument, WhileWaiting meanwhile = {});

  /// Whether `spawn` came from this array and was not joined yet. Never reads through the pointer.
  bool is_unjoined(const Spawn* spawn) noexcept;
  /// Spawns that were not joined yet.
  int unjoined() noexcept;

  int size() const noexcept { return options_.size; }
  /// Members that have not returned from the current kernel. What the others wrote in it is visible.
  int running() const noexcept { return returned_.missing(generation_.load(std::memory_order_acquire)); }
  /// Whether no kernel runs and none is queued. Any thread but a member; a spawn may come right after.
  bool is_idle() noexcept;
  /// Cores on which members run at the same time.
  int cores_used() const noexcept { return has_contexts_ ? groups_ : options_.size; }
  /// Threads of the system that compute or wait while a kernel runs, with the one that joins it.
  int threads_of_system() const noexcept { return has_contexts_ ? groups_ : options_.size + 1; }

  /// While one lives, `on_return` is called for all who return after it was made. For kernels of this array.
  class WatchReturns {
   public:
    explicit WatchReturns(ThreadArray& array) noexcept : array_(array) {
      array.return_watches_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~WatchReturns() { array_.return_watches_.fetch_sub(1, std::memory_order_relaxed); }
    WatchReturns(const WatchReturns&) = delete;
    WatchReturns& operator=(const WatchReturns&) = delete;

   private:
    ThreadArray& array_;
  };

  /// For kernels of this array.
  ArrayBarrier& barrier() noexcept { return barrier_; }
  Rendezvous& rendezvous() noexcept { return rendezvous_; }
  DynamicLoops& loops() noexcept { return loops_; }

 private:
  void start();
  void start_member(int index);
  void stop() noexcept;
  static void* member_entry(void* member) noexcept;
  void serve(Member& member);
  void run_kernels(Member& member);
  template <class Ready>
  void wait_for_other_side(Doorbell& bell, Ready&& ready);
  Spawn* spawn(Kernel kernel, void* argument, bool* is_carried);
  void publish(Spawn* spawn) noexcept;
  void finish_kernel() noexcept;
  Spawn* take_handle();

  const ArrayOptions options_;
  const bool has_contexts_;
  const int groups_;  ///< rings of contexts; 1 when members are threads of the system
  ArrayBarrier barrier_;
  Rendezvous rendezvous_;
  DynamicLoops loops_;

  // Published to the members by generation_ (release, acquire); `active_` changes only when no member runs a
  // kernel.
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  Spawn* active_ = nullptr;  // null together with a new generation: the members end
  Doorbell work_;            // members sleep here
  GroupedCount returned_;    // members that have returned from the kernel of the generation
  std::atomic<int> return_watches_{0};

  // Guarded by mutex_.
  alignas(64) std::mutex mutex_;
  Spawn* queue_head_ = nullptr;
  Spawn* queue_tail_ = nullptr;
  Spawn* free_ = nullptr;
  std::vector<std::unique_ptr<Spawn>> handles_;
  std::unique_ptr<Member[]> members_;
  std::vector<pthread_t> threads_;
  std::unique_ptr<Crew> crew_;  ///< of members that are contexts

  Doorbell own_joiner_;
};

}  // namespace taihu::threads
