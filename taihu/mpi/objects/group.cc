// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/group.h"

#include <algorithm>

#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/objects/rank_names.h"

namespace taihu::mpi {

Group::Group(std::vector<int> members, Reference<Session> of_session)
    : Group(std::move(members), current_rank() != nullptr ? current_rank()->names() : nullptr,
            std::move(of_session)) {}

Group::Group(std::vector<int> members, std::shared_ptr<RankNames> of_owner, Reference<Session> of_session)
    : Object(object_kind), ranks(std::move(members)), session(std::move(of_session)) {
  if (of_owner != nullptr && of_owner->change(ranks, 1)) names_ = std::move(of_owner);
  if (ranks.empty()) return;
  first_ = ranks.front();
  for (int member = 0; member < size(); ++member) {
    if (ranks[static_cast<std::size_t>(member)] != first_ + member) consecutive_ = false;
  }
  if (consecutive_) return;
  members_.reserve(ranks.size());
  for (int member = 0; member < size(); ++member)
    members_.emplace_back(ranks[static_cast<std::size_t>(member)], member);
  std::sort(members_.begin(), members_.end());
}

Group::~Group() {
  if (names_ != nullptr) names_->change(ranks, -1);
}

int Group::search(int job_rank) const noexcept {
  const auto found = std::lower_bound(members_.begin(), members_.end(), std::pair(job_rank, 0));
  return found != members_.end() && found->first == job_rank ? found->second : MPI_UNDEFINED;
}

}  // namespace taihu::mpi
