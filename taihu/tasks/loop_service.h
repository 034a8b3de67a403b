// SPDX-License-Identifier: Apache-2.0
// Loops whose iterations the ranks of a scope group share dynamically, without a barrier: `forall (...; ANY;
// process scope)`.
//
// Affinity scheduling: each member has the contiguous share that BLOCK would give it, and takes guided pieces
// from it, a 2P-th of what is left for P members, at most an eighth. A member whose share is used up takes
// such pieces from the fullest share of its own node process, and when these are empty, from other node
// processes. So iterations stay with the member that BLOCK gives them to as long as all are equally fast,
// pieces cost an atomic operation on a cache line of one's own, and a member that comes late or never keeps
// nobody from the end. Source: Markatos, LeBlanc: Using processor affinity in loop scheduling on
// shared-memory multiprocessors, IEEE TPDS 5(4), 1994; there a P-th.
//
// All members of a group enter the same loops in the same order; the n-th loop of one is the n-th of all.
// Loops live in a table by number, from the first member or thief that comes to it until all members of the
// node process are through, so nobody ever waits for others, however far it is ahead.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "taihu/message/endpoint.h"
#include "taihu/threads/dynamic_loop.h"

namespace taihu::tasks {

/// A loop as the ranks of one node process see it; from LoopService::begin to the end of `next`.
struct SharedLoop;
/// The members of a scope group and their loops.
struct LoopGroup;

class LoopService {
 public:
  /// Registers the service; before any rank of this node process runs. `node` must outlive this object.
  explicit LoopService(message::Node& node);
  ~LoopService();
  LoopService(const LoopService&) = delete;
  LoopService& operator=(const LoopService&) = delete;

  /// Begins the next loop of `rank`, a rank of this node process, in its group of `scope`. Never waits.
  /// `iterations` is the same for all members; null, and *problem says why, when it is not.
  SharedLoop* begin(launch::Scope scope, int rank, std::uint64_t iterations, std::string* problem);

  /// The next iterations for `rank`; false when none are left, and then the loop must not be asked again.
  /// Each iteration is given to one member. Waits only for answers of other node processes' services.
  bool next(SharedLoop* loop, int rank, threads::Chunk* chunk);

  /// Loops that some local member has not ended yet: for tests.
  std::size_t open_loops();

 private:
  struct Request;
  struct Reply;
  bool take_from_processes(SharedLoop& loop, threads::Chunk* chunk);
  Reply serve(const Request& request);

  message::Node& node_;
  int first_rank_ = 0;
  std::vector<std::unique_ptr<LoopGroup>> groups_;        ///< that have members here
  std::vector<std::array<LoopGroup*, 4>> group_of_rank_;  ///< by local index and scope
};

}  // namespace taihu::tasks
