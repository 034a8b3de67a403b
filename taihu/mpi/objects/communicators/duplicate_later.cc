// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/duplicate_later.h"

#include <algorithm>

#include "taihu/mpi/objects/communicators/make_communicator.h"

namespace taihu::mpi {
namespace {

/// Who allocates: the first member, of an intercommunicator that of the side with the lower rank in the job.
int allocating_rank(const Communicator& communicator) noexcept {
  const int mine = communicator.group->ranks.front();
  return communicator.is_inter() ? std::min(mine, communicator.remote_group->ranks.front()) : mine;
}

}  // namespace

DuplicateLater::DuplicateLater(Communicator& parent)
    : parent_(Reference<Communicator>::to(&parent)),
      made_(make_child(parent, 0, parent.group, parent.remote_group)) {
  Rank& rank = parent.owner;
  message::Endpoint& endpoint = rank.endpoint();
  const message::Context context = parent.context_of(Traffic::schedules);
  const int tag = parent.next_schedule_tag();
  const int allocating = allocating_rank(parent);
  if (rank.number() != allocating) {
    under_way_.push_back(endpoint.irecv(allocating, context, tag, &contexts_, sizeof contexts_));
    return;
  }
  contexts_ = rank.allocate_contexts();
  for (const Group* group : {parent.group.get(), parent.remote_group.get()}) {
    if (group == nullptr) continue;
    for (const int member : group->ranks) {
      if (member != allocating)
        under_way_.push_back(endpoint.isend(member, context, tag, &contexts_, sizeof contexts_));
    }
  }
}

bool DuplicateLater::is_complete(Rank& rank) {
  const std::lock_guard hold(lock_);
  while (!under_way_.empty()) {
    if (!rank.endpoint().test(under_way_.back(), nullptr)) return false;
    under_way_.pop_back();
  }
  made_->context = contexts_;
  return true;
}

void DuplicateLater::abandon(Rank&) {
  throw CallError(MPI_ERR_REQUEST, "the request of a collective call cannot be freed; wait for it");
}

}  // namespace taihu::mpi
