// SPDX-License-Identifier: Apache-2.0
// Groups: ordered sets of ranks of the job.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "taihu/mpi/object.h"
#include "taihu/mpi/objects/session.h"

namespace taihu::mpi {

class RankNames;

/// Immutable after it was made.
struct Group final : Object {
  static constexpr Kind object_kind = Kind::group;

  /// `members`: ranks of the job in group order, each once.
  explicit Group(std::vector<int> members, Reference<Session> of_session = {});
  /// Of `owner`, which need not be the caller's rank.
  Group(std::vector<int> members, std::shared_ptr<RankNames> of_owner, Reference<Session> of_session = {});
  ~Group() override;

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

  std::shared_ptr<RankNames> names_;  ///< of the owner, where the group is counted; null: nowhere
  int first_ = 0;
  bool consecutive_ = true;                   ///< ranks are first_, first_ + 1, ...
  std::vector<std::pair<int, int>> members_;  ///< (rank of the job, member), sorted; empty when consecutive
};

}  // namespace taihu::mpi
