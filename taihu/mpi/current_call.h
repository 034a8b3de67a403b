// SPDX-License-Identifier: Apache-2.0
// Which MPI call every thread of every rank is in and what it waits for, for reports of deadlocks and
// crashes. Written by its thread with plain stores, read by the watcher; a few nanoseconds per call.
#pragma once

#include <atomic>
#include <cstdint>

namespace taihu::mpi {

/// One per thread that has called MPI; never freed, reused when the thread has ended.
struct CallRecord {
  std::atomic<const char*> name{nullptr};  ///< of the call; null: outside of MPI
  std::atomic<void*> caller{nullptr};      ///< return address in the program
  std::atomic<std::uint64_t> calls{0};     ///< so far: tells whether anything goes on
  // What the call waits for, where it can say so; -1: nothing or anybody.
  std::atomic<int> peer{-1};  ///< rank of the job
  std::atomic<int> tag{-1};
  std::atomic<std::uint64_t> context{0};
  // Constant while the thread lives.
  std::atomic<int> rank{-1};  ///< of the job
  std::atomic<bool> in_use{true};
  CallRecord* next = nullptr;
};

namespace detail {
extern __attribute__((tls_model("initial-exec"))) thread_local CallRecord* call_record;
CallRecord* new_call_record();
}  // namespace detail

inline CallRecord& call_record() {
  CallRecord* record = detail::call_record;
  return record != nullptr ? *record : *detail::new_call_record();
}

/// All records of this node process: follow `next` from here. New ones are put in front.
CallRecord* first_call_record() noexcept;

/// Says for the time of its life that the thread is in a call. Calls may nest (callbacks); the outer one
/// shows again afterwards.
class CurrentCall {
 public:
  CurrentCall(const char* name, void* caller) : record_(mpi::call_record()) {
    outer_name_ = record_.name.load(std::memory_order_relaxed);
    outer_caller_ = record_.caller.load(std::memory_order_relaxed);
    record_.caller.store(caller, std::memory_order_relaxed);
    record_.name.store(name, std::memory_order_release);
    record_.calls.store(record_.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  ~CurrentCall() {
    record_.peer.store(-1, std::memory_order_relaxed);
    record_.caller.store(outer_caller_, std::memory_order_relaxed);
    record_.name.store(outer_name_, std::memory_order_release);
  }
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;

 private:
  CallRecord& record_;
  const char* outer_name_;
  void* outer_caller_;
};

/// Says what the call that this thread is in waits for.
inline void waits_for(int peer, int tag, std::uint64_t context) noexcept {
  CallRecord& record = call_record();
  record.tag.store(tag, std::memory_order_relaxed);
  record.context.store(context, std::memory_order_relaxed);
  record.peer.store(peer, std::memory_order_relaxed);
}

}  // namespace taihu::mpi
