// SPDX-License-Identifier: Apache-2.0
// Running programs among one member per node process (the leaders) or among all members of a group.
#pragma once

#include <utility>
#include <vector>

#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/collective_choice.h"

namespace taihu::collective {

struct ProgramKey;

/// The memory behind the buffers that the steps of a program name. `source` may be `result`.
struct ProgramBuffers {
  const void* source = nullptr;
  void* result = nullptr;
};

class Leaders {
 public:
  /// `root` >= 0 makes this member the leader of its node process.
  explicit Leaders(GroupHandle& handle, int root = -1);

  /// Am I one?
  bool includes_me() const noexcept { return local_leader_ == handle_.local_index(); }
  /// Local index of the leader here.
  int local_leader() const noexcept { return local_leader_; }
  /// Process of the root.
  int root_process() const noexcept { return root_process_; }
  schedule::Place place() const noexcept { return {membership_.processes(), membership_.here}; }

  /// Runs the caller's program, in which member m is the leader of process m; units are bytes, or the
  /// elements of `reduction`. Blocks; makes progress for others meanwhile. M_ERROR_MEMORY before anything is
  /// sent; M_ERROR_TRUNCATE when a message had another length than the program says (the call of another
  /// member differs) and M_ERROR_LINK: all steps were run all the same, so that nobody is left waiting, but
  /// results are undefined. `code` is that of the caller's earlier stages: one that has failed has no data
  /// for the others, sends empty messages, by which they see it, and returns that code.
  int run(int code, schedule::Program program, ProgramBuffers buffers, const Reduction* reduction = nullptr);

  /// These are `run` with programs that stay for the next call like this one; of bcast all leaders' `buffer`,
  /// of allreduce what each has combined, `source`, which may be `result`. `bytes` of the blocks is that of
  /// each member, a `block` has those of all members here, `whole` is the root's (of allgather each one's).
  int barrier(int code);
  int bcast(void* buffer, std::size_t bytes);
  int gather(int code, const void* block, void* whole, std::size_t bytes);
  int scatter(const void* whole, void* block, std::size_t bytes);
  int allgather(int code, const void* block, void* whole, std::size_t bytes);
  int reduce(int code, const void* source, void* result, std::size_t count, const Reduction& reduction);
  int allreduce(int code, const void* source, void* result, std::size_t count, const Reduction& reduction);

  /// The caller's program: in the form that suits the network where it is described (network_choice.h), else
  /// by length and number of node processes (plain_forms.h). Units are bytes, or the elements of `reduction`.
  schedule::Program bcast_program(std::size_t bytes) const;
  schedule::Program allgather_program(const schedule::Blocks& blocks) const;
  /// `apart`: source and result are not the same memory.
  schedule::Program allreduce_program(std::size_t count, const Reduction& reduction,
                                      bool apart = false) const;
  /// `blocks` in bytes.
  schedule::Program reduce_scatter_program(const schedule::Blocks& blocks, const Reduction& reduction) const;

  /// The last stage, for all members here: the leader's `buffer` goes to its neighbours. `code` is that of
  /// the caller's earlier stages; where the leader has failed, its neighbours fail as well.
  int hand_out(int code, void* buffer, std::size_t bytes);

  /// Cuts `n * bytes` into one block per process, in process order.
  schedule::Blocks blocks(std::size_t bytes) const;

 private:
  /// `bytes` as in PlainForms.
  schedule::Program program(schedule::Collective collective, std::size_t bytes,
                            const schedule::Payload& payload) const;
  std::size_t bytes_of_each(const schedule::Blocks& blocks) const noexcept;
  /// Of the job, by process.
  std::vector<int> ranks() const;
  template <class Make>
  int run_kept(const ProgramKey& key, int code, ProgramBuffers buffers, const Reduction* reduction,
               Make&& make);

  GroupHandle& handle_;
  const Membership& membership_;
  const int root_;
  int root_process_ = -1;
  int local_leader_ = 0;
};

/// May operands be combined per node process first? Not those that must keep the order of members, where
/// members of different processes alternate.
inline bool may_reduce_by_process(const GroupHandle& handle, const Reduction& reduction) noexcept {
  return reduction.commutative || handle.membership().consecutive;
}

/// A program of all members of the group, without leaders.
inline schedule::Place place_among_all(const GroupHandle& handle) noexcept {
  return {handle.size(), handle.rank()};
}
/// As Leaders::run.
int run_among_all(GroupHandle& handle, int code, schedule::Program program, ProgramBuffers buffers,
                  const Reduction* reduction = nullptr);
inline int run_among_all(GroupHandle& handle, schedule::Program program, ProgramBuffers buffers,
                         const Reduction* reduction = nullptr) {
  return run_among_all(handle, M_SUCCESS, std::move(program), buffers, reduction);
}

/// scatterv on its root when that has failed before, with `code`: the others return M_ERROR_TRUNCATE.
int fail_scatterv(GroupHandle& handle, int code, const std::size_t* source_bytes,
                  const std::ptrdiff_t* source_offsets);

/// Copies blocks from process order (members_of[0], members_of[1], ...) to member order, and back.
void to_member_order(const Membership& membership, const void* by_process, void* by_member,
                     std::size_t bytes);
void to_process_order(const Membership& membership, const void* by_member, void* by_process,
                      std::size_t bytes);

/// The first error of two stages; later stages run in any case, so that others are not left waiting.
inline int first_error(int early, int late) noexcept {
  return early != M_SUCCESS ? early : late;
}

}  // namespace taihu::collective
