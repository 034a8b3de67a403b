// SPDX-License-Identifier: Apache-2.0
// Locks of scope groups, also of groups that span node processes. A group's locks live in the lock table of
// its home: the node process of its first rank. Callers there use the table directly; others call the home,
// which answers when the lock is theirs. Both stand in the same queue, in order of arrival.
#pragma once

#include <cstdint>

#include "taihu/message/endpoint.h"
#include "taihu/threads/lock_table.h"

namespace taihu::tasks {

/// The locks of one scope group. A value; compute it once and keep it.
struct LockGroup {
  std::uint64_t key = 0;
  int home = 0;  ///< node process
};

class LockService {
 public:
  /// Registers the service; before any rank of this node process runs. `node` must outlive this object, and
  /// no other node process may call any more when this object ends.
  explicit LockService(message::Node& node);
  LockService(const LockService&) = delete;
  LockService& operator=(const LockService&) = delete;

  /// The group of `rank` in a process scope.
  LockGroup group(launch::Scope scope, int rank) const noexcept;
  /// The accelerator threads of `rank`, a rank of this node process.
  LockGroup array_group(int rank) const noexcept;

  /// As LockTable; any thread of a rank may call. `lock` waits, and messages go on meanwhile.
  threads::LockResult lock(LockGroup group, int id, threads::LockOwner owner,
                           threads::WhileWaiting meanwhile = {});
  threads::LockResult try_lock(LockGroup group, int id, threads::LockOwner owner);
  threads::LockResult unlock(LockGroup group, int id, threads::LockOwner owner);

 private:
  struct Request;
  void handle(std::shared_ptr<message::ServiceCall> call);
  threads::LockResult call_home(int home, const Request& request);

  message::Node& node_;
  threads::LockTable table_;
};

}  // namespace taihu::tasks
