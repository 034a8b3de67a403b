// SPDX-License-Identifier: Apache-2.0
// The named locks of a node process: mutual exclusion among ranks and accelerator threads.
//
// A lock is an owner and a queue of those who wait, in order of arrival. Unlocking hands the lock to the
// first in the queue, so nobody starves. A waiter is a thread that sleeps, or an answer that is due to
// another node process. The table is cut into stripes; the mutex of a stripe guards its locks, and is never
// held while anybody waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "taihu/threads/while_waiting.h"

namespace taihu::threads {

/// Names a lock: `group` is chosen by the caller, one value per scope group.
struct LockName {
  std::uint64_t group = 0;
  int id = 0;

  bool operator==(const LockName&) const = default;
};

/// Who holds or wants a lock: a thread of a rank.
struct LockOwner {
  std::int32_t rank = -1;
  std::uint64_t thread = 0;

  bool operator==(const LockOwner&) const = default;
};

/// The caller: accelerator threads by their index, other threads by an address that is their own.
LockOwner current_lock_owner() noexcept;

enum class LockResult : std::uint32_t {
  done,       ///< locked or unlocked
  busy,       ///< trylock: held by somebody (the caller included)
  recursive,  ///< lock: the caller holds it already, and would wait for ever
  not_owner   ///< unlock: the caller does not hold it
};

class LockTable {
 public:
  LockTable();
  ~LockTable();
  LockTable(const LockTable&) = delete;
  LockTable& operator=(const LockTable&) = delete;

  /// Waits until the lock is `owner`'s. Returns `done` or `recursive`. Any thread.
  LockResult lock(LockName name, LockOwner owner, WhileWaiting meanwhile = {});

  /// Never waits. Returns `done` or `busy`.
  LockResult try_lock(LockName name, LockOwner owner);

  /// Like `lock`, but never waits: `granted` is called once with the result, now or by the thread that hands
  /// the lock over, with no mutex held. It must not throw.
  void lock_later(LockName name, LockOwner owner, std::function<void(LockResult)> granted);

  /// Hands the lock to the first that waits. Returns `done` or `not_owner`.
  LockResult unlock(LockName name, LockOwner owner);

 private:
  struct Lock;
  struct Stripe;
  struct Waiter;

  Stripe& stripe_of(LockName name) const noexcept;

  static constexpr std::size_t stripes = 64;
  std::unique_ptr<Stripe[]> stripes_;
};

}  // namespace taihu::threads
