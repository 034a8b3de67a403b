// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/lock_table.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/memory/current_rank.h"
#include "taihu/threads/current_member.h"
#include "taihu/threads/waiting.h"

namespace taihu::threads {
namespace {

std::size_t hash(LockName name) noexcept {
  std::uint64_t mixed = (name.group + static_cast<std::uint64_t>(name.id) * 0x9e3779b97f4a7c15ULL);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::size_t>(mixed ^ (mixed >> 31));
}

struct HashOfName {
  std::size_t operator()(LockName name) const noexcept { return hash(name); }
};

/// Where a thread sleeps. Pooled and never freed while the table lives: the thread that grants a lock still
/// touches the doorbell when the sleeper has already gone on.
struct Bed {
  std::atomic<bool> granted{false};
  Doorbell doorbell;
};

}  // namespace

struct LockTable::Waiter {
  LockOwner owner;
  Bed* bed = nullptr;                       // a sleeping thread, or
  std::function<void(LockResult)> granted;  // an answer that is due

  void grant() {
    if (bed == nullptr) {
      granted(LockResult::done);
    } else {
      bed->granted.store(true, std::memory_order_release);
      bed->doorbell.ring();
    }
  }
};

struct LockTable::Lock {
  bool held = false;
  LockOwner owner;
  std::deque<Waiter> queue;

  void check_invariants() const {
    ensure(held || queue.empty(), "who waits for a lock waits for somebody");
    for (const Waiter& waiter : queue)
      ensure((waiter.bed != nullptr) != (waiter.granted != nullptr), "a waiter sleeps or is to be told");
  }
};

struct alignas(64) LockTable::Stripe {
  std::mutex mutex;
  std::unordered_map<LockName, Lock, HashOfName> locks;  // a lock once used is kept
  std::vector<std::unique_ptr<Bed>> beds;
  std::vector<Bed*> free_beds;

  Bed* take_bed() {
    if (free_beds.empty()) return beds.emplace_back(std::make_unique<Bed>()).get();
    Bed* bed = free_beds.back();
    free_beds.pop_back();
    bed->granted.store(false, std::memory_order_relaxed);
    return bed;
  }
};

LockOwner current_lock_owner() noexcept {
  static thread_local char own;
  const memory::RankIdentity* rank = memory::current_rank();
  const Member* member = current_member();
  const std::uint64_t thread =
      member != nullptr ? static_cast<std::uint64_t>(member->index) : reinterpret_cast<std::uint64_t>(&own);
  return {rank != nullptr ? rank->rank : -1, thread};
}

LockTable::LockTable() : stripes_(std::make_unique<Stripe[]>(stripes)) {}
LockTable::~LockTable() = default;

LockTable::Stripe& LockTable::stripe_of(LockName name) const noexcept {
  return stripes_[hash(name) >> 8 & (stripes - 1)];  // other bits than the map in the stripe uses
}

LockResult LockTable::try_lock(LockName name, LockOwner owner) {
  Stripe& stripe = stripe_of(name);
  const std::lock_guard guard(stripe.mutex);
  Lock& lock = stripe.locks[name];
  if (lock.held) return LockResult::busy;
  lock.held = true;
  lock.owner = owner;
  return LockResult::done;
}

LockResult LockTable::lock(LockName name, LockOwner owner, WhileWaiting meanwhile) {
  Stripe& stripe = stripe_of(name);
  Bed* bed = nullptr;
  {
    const std::lock_guard guard(stripe.mutex);
    Lock& lock = stripe.locks[name];
    if (!lock.held) {
      lock.held = true;
      lock.owner = owner;
      return LockResult::done;
    }
    if (lock.owner == owner) return LockResult::recursive;
    bed = stripe.take_bed();
    lock.queue.push_back({owner, bed, {}});
  }
  bed->doorbell.wait([&] {
    if (bed->granted.load(std::memory_order_acquire)) return true;
    meanwhile();
    return false;
  });
  const std::lock_guard guard(stripe.mutex);
  stripe.free_beds.push_back(bed);
  return LockResult::done;
}

void LockTable::lock_later(LockName name, LockOwner owner, std::function<void(LockResult)> granted) {
  expect(granted != nullptr, "somebody is to be told when the lock is theirs");
  LockResult result = LockResult::done;
  {
    Stripe& stripe = stripe_of(name);
    const std::lock_guard guard(stripe.mutex);
    Lock& lock = stripe.locks[name];
    if (lock.held && lock.owner != owner) {
      lock.queue.push_back({owner, nullptr, std::move(granted)});
      return;
    }
    if (lock.held) {
      result = LockResult::recursive;
    } else {
      lock.held = true;
      lock.owner = owner;
    }
  }
  granted(result);
}

LockResult LockTable::unlock(LockName name, LockOwner owner) {
  Waiter next;
  {
    Stripe& stripe = stripe_of(name);
    const std::lock_guard guard(stripe.mutex);
    const auto found = stripe.locks.find(name);
    if (found == stripe.locks.end() || !found->second.held || found->second.owner != owner) {
      return LockResult::not_owner;
    }
    Lock& lock = found->second;
    if constexpr (contracts_checked) lock.check_invariants();
    if (lock.queue.empty()) {
      lock.held = false;
      return LockResult::done;
    }
    next = std::move(lock.queue.front());
    lock.queue.pop_front();
    lock.owner = next.owner;
  }
  next.grant();
  return LockResult::done;
}

}  // namespace taihu::threads
