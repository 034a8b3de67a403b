// SPDX-License-Identifier: Apache-2.0
// The tasks of one scope group inside one node process: where its members take them.
//
// Ids lie ready in one atomic word (first id and count), so taking one is a compare-and-swap. When the count
// reaches the low-water mark, the taker asks the level above for more and does not wait for it. All else
// (joining a round, its end, the next round) is slow-path work under a mutex.
//
// Members. A rank takes part in a round either in process code, then it is one member (one thread calls), or
// in kernels, then each of its accelerator threads is a member and asks until it is told that no task is
// left. The first call of a rank in a round decides; a call of the other kind before the rank has ended the
// round is refused. The next round opens when all members of all ranks have been told the end of this one; a
// member that asks earlier waits for the others. Threads that did not ask are not waited for for ever: when a
// kernel has ended in which some were told the end, or all threads that still run it wait for the next round,
// the round has ended for the whole rank.
//
// A member has completed its task when it asks again. In a round with a checkpoint file its slot keeps the
// task until then; whoever is told the end of such a round knows that its own tasks are on the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/tasks/completion_reports.h"
#include "taihu/tasks/task_supplier.h"
#include "taihu/threads/thread_array.h"
#include "taihu/threads/waiting.h"
#include "taihu/threads/while_waiting.h"

namespace taihu::tasks {

inline constexpr std::int64_t no_task = -1;       ///< the round has no more tasks
inline constexpr std::int64_t task_refused = -2;  ///< wrong use, see the text
inline constexpr std::int64_t too_late = -3;      ///< the deadline has passed, tasks may be left
inline constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t largest_total = std::int64_t{1} << 47;
inline constexpr int process_code = -1;  ///< in place of the index of an accelerator thread

/// What all members say of a round.
struct TaskRound {
  // Without a file just a number of tasks.
  TaskRound(std::int64_t total, std::string_view file = {}) : total(total), file(file) {}

  std::int64_t total;
  std::string_view file;  ///< checkpoint file; empty: none
};

class TaskPool {
 public:
  /// For ranks first_rank .. first_rank + ranks - 1, each with `array_size` accelerator threads. `above` is
  /// asked for tasks, `recorder`, the global master, is told of completed ones; both must outlive this
  /// object. They may be one when it never keeps a request waiting for the disk before the next one.
  /// From `deadline_ns` (now_ns) on no task is handed out any more.
  TaskPool(int first_rank, int ranks, int array_size, TaskSupplier& above, TaskSupplier& recorder,
           std::int64_t deadline_ns = no_deadline);
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  /// The next task for `member` (or process_code) of `rank`, or no_task, or too_late; waits only when ids are
  /// on their way or the round before has not ended. On wrong use fills *problem and returns task_refused;
  /// nothing has changed then.
  std::int64_t take(int rank, int member, const TaskRound& wanted, std::string* problem,
                    threads::WhileWaiting meanwhile = {}) {
    Slot& slot = slot_of(rank, member);
    if (slot.joined.load(std::memory_order_relaxed) == round_.load(std::memory_order_acquire) &&
        slot.total.load(std::memory_order_relaxed) == wanted.total && wanted.file == file_) {
      if (!file_.empty()) complete(slot);
      if (is_late()) return take_slowly({rank, member, wanted.total, wanted.file, problem, meanwhile});
      const Taken taken = take_ready();
      if (taken.low) refill();
      if (taken.id >= 0) {
        slot.task.store(taken.id, std::memory_order_relaxed);
        return taken.id;
      }
    }
    return take_slowly({rank, member, wanted.total, wanted.file, problem, meanwhile});
  }

  /// All threads of `rank` have returned from a kernel: when some were told that the round has no more tasks,
  /// it has ended for those that did not ask. Any thread of the rank.
  void kernel_ended(int rank) {
    if (partly_ended_.load(std::memory_order_relaxed) != 0) end_for_others(rank);
  }

  /// A thread of a rank has returned from its kernel: members that wait look whether they still have to.
  void member_returned() { changed(); }

  /// Ids of `round` that are here and not taken yet. Any thread.
  std::int64_t untaken(std::int64_t round);

  /// Waits until what was completed here is on the disk. When no member calls any more.
  void finish();

 private:
  // A member's view of the rounds. Only the member itself uses it; atomic because process code may change
  // threads.
  struct alignas(64) Slot {
    std::atomic<std::int64_t> joined{-1};     // round in which it may take tasks without the mutex
    std::atomic<std::int64_t> total{-1};      // of that round
    std::atomic<std::int64_t> ended{0};       // last round whose end it was told
    std::atomic<std::int64_t> task{no_task};  // of the round that it joined, not completed yet
  };
  enum class Kind { none, process, kernel };
  struct Rank {
    Kind kind = Kind::none;  // how it takes part in the current round
    int ended_members = 0;
    int waiting_members = 0;  ///< threads that run a kernel and wait for the next round
    bool ended = true;
  };
  struct Call {
    int rank;
    int member;
    std::int64_t total;
    std::string_view file;
    std::string* problem;
    threads::WhileWaiting meanwhile;
  };
  struct Taken {
    std::int64_t id;
    bool low;
  };
  using Lock = std::unique_lock<std::mutex>;

  Slot& slot_of(int rank, int member) const noexcept {
    return slots_[static_cast<std::size_t>((rank - first_rank_) * (array_size_ + 1) + member + 1)];
  }

  Taken take_ready() noexcept {
    std::uint64_t word = ready_.load(std::memory_order_relaxed);
    while (word >> count_shift != 0) {
      if (ready_.compare_exchange_weak(word, word + 1 - one_of_count, std::memory_order_relaxed)) {
        const std::uint64_t left = (word >> count_shift) - 1;
        return {static_cast<std::int64_t>(word & first_mask),
                left == low_water_.load(std::memory_order_relaxed)};
      }
    }
    return {no_task, false};
  }

  void complete(Slot& slot) {
    const std::int64_t task = slot.task.load(std::memory_order_relaxed);
    if (task < 0) return;
    slot.task.store(no_task, std::memory_order_relaxed);
    reports_.add(task);
  }

  bool is_late() const { return deadline_ns_ != no_deadline && now_ns() >= deadline_ns_; }
  void drop_tasks();
  std::int64_t take_slowly(const Call& call);
  bool next_round(Lock& lock, const Call& call);
  void wait_for_threads(Lock& lock, const Call& call, threads::ThreadArray& array);
  void begin_round(std::int64_t total, const TaskReply& reply);
  bool join_round(const Call& call);
  std::int64_t end_member(Lock& lock, const Call& call);
  void end_for_others(int rank);
  void end_rank(Lock& lock, Rank& rank, threads::WhileWaiting meanwhile);
  void wait_for_disk(Lock& lock, threads::WhileWaiting meanwhile);
  std::string mismatch(const Call& call, std::int64_t total, const std::string& file) const;
  void refill();
  void ask_for_more(Lock& lock, std::int64_t wanted);
  void receive(const TaskReply& reply);
  void make_ready();
  void wait(Lock& lock, threads::WhileWaiting meanwhile);
  void wait(Lock& lock, threads::WhileWaiting meanwhile, std::uint32_t seen);
  void changed();
  TaskRequest request(TaskRequest::Kind kind, std::int64_t round, std::int64_t total,
                      Kind callers) const noexcept;

  static constexpr int count_shift = 48;
  static constexpr std::uint64_t one_of_count = std::uint64_t{1} << count_shift;
  static constexpr std::uint64_t first_mask = one_of_count - 1;
  static constexpr std::int64_t most_ready = 1 << 15;
  static constexpr std::uint64_t no_low_water = ~std::uint64_t{0};

  const int first_rank_;
  const int array_size_;
  TaskSupplier& above_;
  const std::int64_t deadline_ns_;
  std::unique_ptr<Slot[]> slots_;

  // Of the round; written with the mutex held while no member has joined, so members read it without.
  std::string file_;
  CompletionReports reports_;

  // count << 48 | first id. Written with the mutex held and count 0, else only by takers.
  alignas(64) std::atomic<std::uint64_t> ready_{0};
  std::atomic<std::uint64_t> low_water_{no_low_water};  // count at which a taker asks for more
  std::atomic<std::int64_t> round_{0};                  // written with the mutex held
  std::atomic<int> partly_ended_{0};  // ranks of which some members were told the end; written likewise

  alignas(64) std::mutex mutex_;  // guards all below; not held while calling the level above
  std::vector<Rank> ranks_;
  int ended_ranks_ = 0;
  bool open_ = false;     // between the opening of round_ and the end of its last member here
  bool opening_ = false;  // a member asks for round_ + 1
  bool asking_ = false;   // ids are on their way
  bool last_ = false;     // no more ids will come in this round
  bool dropped_ = false;  // tasks of this round, because of the deadline
  bool out_of_step_ = false;
  std::int64_t hungry_ = 0;  // members that wait for ids
  std::int64_t total_ = 0;
  TaskRange behind_;           // ids that did not fit into ready_
  Kind callers_ = Kind::none;  // of the round's first call: how many take tasks here

  std::atomic<std::uint32_t> version_{0};  // counts the changes that waiting members look for
  threads::Doorbell doorbell_;
};

}  // namespace taihu::tasks
