// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/current_call.h"

#include <mutex>

#include "taihu/memory/current_rank.h"
#include "taihu/mpi/objects/dropped_counts.h"

namespace taihu::mpi {
namespace detail {

constinit thread_local CallRecord* call_record = nullptr;

namespace {

std::atomic<CallRecord*> first{nullptr};
std::mutex reuse_lock;
std::atomic<int> given_back{0};  // records that take_unused would find

/// Gives the record back when its thread ends.
struct Return {
  CallRecord* record = nullptr;
  ~Return() {
    if (record == nullptr) return;
    record->name.store(nullptr, std::memory_order_release);
    record->in_use.store(false, std::memory_order_release);
    if (record->observer.load() == nullptr) given_back.fetch_add(1);
    call_record = nullptr;
  }
};
thread_local Return at_thread_end;

CallRecord* take_unused() {
  // The threads of thousands of ranks come here for the first time, and would look at all records before.
  if (given_back.load() == 0) return nullptr;
  const std::lock_guard hold(reuse_lock);
  for (CallRecord* record = first.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    // Counts stay with the rank they belong to.
    if (record->in_use.load(std::memory_order_acquire) || record->observer.load() != nullptr) continue;
    record->in_use.store(true, std::memory_order_relaxed);
    given_back.fetch_sub(1);
    return record;
  }
  return nullptr;
}

}  // namespace

CallRecord* new_call_record() {
  const memory::RankIdentity* identity = memory::current_rank();
  CallRecord* record = take_unused();
  if (record == nullptr) {
    record = new CallRecord;
    record->next = first.load(std::memory_order_relaxed);
    while (!first.compare_exchange_weak(record->next, record, std::memory_order_release)) {
    }
  }
  record->rank.store(identity != nullptr ? identity->rank : -1, std::memory_order_relaxed);
  if (calls_observed && record->observer.load(std::memory_order_relaxed) == nullptr)
    record->observer.store(new CallObserver, std::memory_order_release);
  at_thread_end.record = record;
  return call_record = record;
}

}  // namespace detail

void drop_counts_of(int rank) {
  const std::lock_guard hold(detail::reuse_lock);
  for (CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    if (record->rank != rank || record->in_use.load(std::memory_order_acquire)) continue;
    record->rank = -1;
    CallObserver* const observer = record->observer.exchange(nullptr);
    if (observer == nullptr) continue;
    delete observer;
    detail::given_back.fetch_add(1);
  }
}

CallRecord* first_call_record() noexcept {
  return detail::first.load(std::memory_order_acquire);
}

}  // namespace taihu::mpi
