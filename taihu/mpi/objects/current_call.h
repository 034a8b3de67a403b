// SPDX-License-Identifier: Apache-2.0
// Which MPI call every thread of every rank is in and what it waits for, for reports of deadlocks and
// crashes. Written by its thread with plain stores, read by the watcher; a few nanoseconds per call.
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/mpi/objects/pending_collective.h"
#include "taihu/mpi/objects/statistics.h"

namespace taihu::mpi {

/// What a call waits for, where it can say so.
enum class Waits : int { unknown, for_rank, for_members, in_collective };

/// One per thread that has called MPI; never freed, reused when the thread has ended.
struct CallRecord {
  std::atomic<const char*> name{nullptr};  ///< of the call; null: outside of MPI
  std::atomic<void*> caller{nullptr};      ///< return address in the program
  std::atomic<std::uint64_t> calls{0};     ///< so far: tells whether anything goes on
  std::atomic<Waits> waits{Waits::unknown};
  std::atomic<bool> works{false};  ///< see AtWork
  std::atomic<int> peer{-1};       ///< rank of the job; message::any_rank
  std::atomic<int> tag{-1};        ///< negative: any
  std::atomic<std::uint64_t> context{0};
  std::atomic<int> members{0};  ///< ranks of the communicator
  // Of a collective, as in PendingCollective.
  std::atomic<std::int64_t> block_bytes{-1};
  std::atomic<int> root{-1};
  std::atomic<std::uint64_t> number{0};
  std::atomic<CallObserver*> observer{nullptr};  ///< when calls are observed
  // Constant while the thread lives.
  std::atomic<int> rank{-1};  ///< of the job
  std::atomic<bool> in_use{true};
  CallRecord* next = nullptr;
};

namespace detail {
extern constinit __attribute__((tls_model("initial-exec"))) thread_local CallRecord* call_record;
__attribute__((cold)) CallRecord* new_call_record();
}  // namespace detail

inline CallRecord& call_record() {
  CallRecord* record = detail::call_record;
  return record != nullptr ? *record : *detail::new_call_record();
}

/// All records of this node process: follow `next` from here. New ones are put in front.
CallRecord* first_call_record() noexcept;

/// Says for the time of its life that the thread is in a call. Calls may nest (callbacks); the outer one
/// shows again afterwards.
/// Every call has one: it is inline and stays in registers, as long as nobody takes its address.
class CurrentCall {
 public:
  __attribute__((always_inline)) CurrentCall(const char* name, void* caller)
      : record_(mpi::call_record()),
        outer_name_(record_.name.load(std::memory_order_relaxed)),
        outer_caller_(record_.caller.load(std::memory_order_relaxed)) {
    record_.caller.store(caller, std::memory_order_relaxed);
    record_.name.store(name, std::memory_order_release);
    record_.calls.store(record_.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (calls_observed) [[unlikely]]
      observed_ = begin_observed(record_);
  }
  __attribute__((always_inline)) ~CurrentCall() {
    if (calls_observed) [[unlikely]]
      end_observed(record_, observed_);
    record_.waits.store(Waits::unknown, std::memory_order_relaxed);
    record_.caller.store(outer_caller_, std::memory_order_relaxed);
    record_.name.store(outer_name_, std::memory_order_release);
  }
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;

 private:
  CallRecord& record_;
  const char* const outer_name_;
  void* const outer_caller_;
  ObservedCall* observed_ = nullptr;
};

/// Says for the time of its life that the thread is in the program again: in a function of it that may never
/// come back to the call (longjmp).
class OutsideOfCalls {
 public:
  OutsideOfCalls()
      : record_(mpi::call_record()),
        name_(record_.name.load(std::memory_order_relaxed)),
        caller_(record_.caller.load(std::memory_order_relaxed)),
        observed_(leave_observed(record_)) {
    record_.waits.store(Waits::unknown, std::memory_order_relaxed);
    record_.name.store(nullptr, std::memory_order_release);
  }
  ~OutsideOfCalls() {
    resume_observed(record_, observed_);
    record_.caller.store(caller_, std::memory_order_relaxed);
    record_.name.store(name_, std::memory_order_release);
  }
  OutsideOfCalls(const OutsideOfCalls&) = delete;
  OutsideOfCalls& operator=(const OutsideOfCalls&) = delete;

 private:
  CallRecord& record_;
  const char* const name_;
  void* const caller_;
  ObservedCall* const observed_;
};

/// Says for the time of its life that the call which this thread is in does what may take long without any
/// other rank, such as reading a file: it is not stuck.
class AtWork {
 public:
  AtWork() : record_(mpi::call_record()), outer_(record_.works.load(std::memory_order_relaxed)) {
    record_.works.store(true, std::memory_order_relaxed);
  }
  ~AtWork() { record_.works.store(outer_, std::memory_order_relaxed); }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  CallRecord& record_;
  const bool outer_;
};

/// Says that the call which this thread is in waits for rank `peer` of the job (or any).
inline void waits_for(int peer, int tag, std::uint64_t context, int members) noexcept {
  CallRecord& record = call_record();
  record.peer.store(peer, std::memory_order_relaxed);
  record.tag.store(tag, std::memory_order_relaxed);
  record.context.store(context, std::memory_order_relaxed);
  record.members.store(members, std::memory_order_relaxed);
  record.waits.store(Waits::for_rank, std::memory_order_relaxed);
}

/// Says that it waits for all members of a communicator.
inline void waits_for_members(std::uint64_t context, int members) noexcept {
  CallRecord& record = call_record();
  record.context.store(context, std::memory_order_relaxed);
  record.members.store(members, std::memory_order_relaxed);
  record.waits.store(Waits::for_members, std::memory_order_relaxed);
}

/// Says that it is in this collective: where members pass other lengths and so take other algorithms, they
/// wait for each other.
inline void waits_in_collective(const PendingCollective& collective) noexcept {
  CallRecord& record = call_record();
  record.context.store(collective.context, std::memory_order_relaxed);
  record.members.store(collective.members, std::memory_order_relaxed);
  record.block_bytes.store(collective.block_bytes, std::memory_order_relaxed);
  record.root.store(collective.root, std::memory_order_relaxed);
  record.number.store(collective.number, std::memory_order_relaxed);
  record.waits.store(Waits::in_collective, std::memory_order_relaxed);
}

}  // namespace taihu::mpi
