// SPDX-License-Identifier: Apache-2.0
// The collectives among the threads of one array, which share all memory: the same calls as collectives.h,
// with the handle of a thread in the place of a rank's.
//
// Each call has two meetings. Before the first one a member shows its call and its buffers; between them
// everybody knows the calls of all, and reads the sources of others or writes their results; after the second
// one the buffers are the members' own again. Calls that do not fit together are noticed by all members
// before any buffer is touched.
//
// All members call, in the same order. Codes are those of collectives.h. Reductions take operands in the
// order of members; results are the same bits on all members and in every run.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "taihu/collective/arguments.h"
#include "taihu/collective/board.h"
#include "taihu/collective/operations.h"
#include "taihu/threads/array_barrier.h"

namespace taihu::collective {

/// What the threads of an array share. Must outlive its handles.
class ThreadGroup {
 public:
  explicit ThreadGroup(int members)
      : slots_(static_cast<std::size_t>(members)), meeting_(members), size_(members) {}

 private:
  friend class ThreadHandle;

  /// Written by its member before the first meeting of a call, read by all until the second one.
  struct alignas(64) Slot {
    Announcement call;
    Addresses addresses{};
    const ElementBlocks* sent = nullptr;  ///< of alltoallv: the blocks of the source
  };

  std::vector<Slot> slots_;
  threads::ArrayBarrier meeting_;
  int size_;
};

/// A thread's part in its group; cheap to make. Used by its thread only.
class ThreadHandle {
 public:
  /// `member`: 0 .. members of the group - 1.
  ThreadHandle(ThreadGroup& group, int member) noexcept : group_(group), member_(member) {}

  int rank() const noexcept { return member_; }
  int size() const noexcept { return group_.size_; }
  /// What was wrong when the latest call returned M_ERROR_ARGUMENT or M_ERROR_TRUNCATE because the calls of
  /// two members did not fit together; names both.
  const std::string& problem() const noexcept { return problem_; }

  // For the collectives themselves.
  const Addresses& addresses_of(int member) const noexcept { return slot(member).addresses; }
  const ElementBlocks& sent_by(int member) const noexcept { return *slot(member).sent; }
  void set_problem(std::string text) { problem_ = std::move(text); }
  /// Calls `work()` between the two meetings of `call`, if the calls of all fit together.
  template <class Work>
  int meet(const Announcement& call, Addresses addresses, const ElementBlocks* sent, Work&& work) {
    group_.slots_[static_cast<std::size_t>(member_)] = {call, addresses, sent};
    group_.meeting_.wait();
    int code = compare_calls();
    if (code == M_SUCCESS) code = work();
    group_.meeting_.wait();
    return code;
  }

 private:
  const ThreadGroup::Slot& slot(int member) const noexcept {
    return group_.slots_[static_cast<std::size_t>(member)];
  }
  /// M_SUCCESS, M_ERROR_TRUNCATE when only lengths differ, else M_ERROR_ARGUMENT: the same on all members.
  int compare_calls();

  ThreadGroup& group_;
  int member_;
  std::string problem_;
};

int barrier(ThreadHandle& handle);
int bcast(ThreadHandle& handle, void* buffer, std::size_t bytes, int root);
int reduce(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root);
int allreduce(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);
int scan(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);
int gather(ThreadHandle& handle, const void* source, void* result, std::size_t bytes, int root);
int allgather(ThreadHandle& handle, const void* source, void* result, std::size_t bytes);
int scatter(ThreadHandle& handle, const void* source, void* result, std::size_t bytes, int root);
/// In place is not possible.
int alltoall(ThreadHandle& handle, const void* source, void* result, std::size_t bytes);
/// In place is not possible.
int alltoallv(ThreadHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes);

}  // namespace taihu::collective
