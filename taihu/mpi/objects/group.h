// SPDX-License-Identifier: Apache-2.0
// Groups: ordered sets of ranks of the job.
#pragma once

#include <utility>
#include <vector>

#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/session.h"

namespace taihu::mpi {

/// Immutable after it was made.
struct Group final : Object {
  static constexpr Kind object_kind = Kind::group;

  /// `members`: ranks of the job in group order, each once.
  explicit Group(std::vector<int> members, Reference<Session> of_session = {});

  int size() const noexcept { return static_cast<int>(ranks.size()); }
  /// Member number of a rank of the job; MPI_UNDEFINED when it is not a member.
  int member_of(int job_rank) const noexcept {
    const int distance = job_rank - first_;
    if (consecutive_) return distance >= 0 && distance < size() ? distance : MPI_UNDEFINED;
    return search(job_rank);
  }

  const std::vector<int> ranks;
  const Reference<Session> session;  ///< that it comes from; null: from MPI_COMM_WORLD

 private:
  int search(int job_rank) const noexcept;

  int first_ = 0;
  bool consecutive_ = true;                   ///< ranks are first_, first_ + 1, ...
  std::vector<std::pair<int, int>> members_;  ///< (rank of the job, member), sorted; empty when consecutive
};

}  // namespace taihu::mpi
