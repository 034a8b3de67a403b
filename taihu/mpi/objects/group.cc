// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/group.h"

#include <algorithm>

namespace taihu::mpi {

Group::Group(std::vector<int> members, Reference<Session> of_session)
    : Object(object_kind), ranks(std::move(members)), session(std::move(of_session)) {
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

int Group::search(int job_rank) const noexcept {
  const auto found = std::lower_bound(members_.begin(), members_.end(), std::pair(job_rank, 0));
  return found != members_.end() && found->first == job_rank ? found->second : MPI_UNDEFINED;
}

}  // namespace taihu::mpi
