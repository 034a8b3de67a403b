// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicator.h"

#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

Communicator::Communicator(Rank& of, message::Context contexts, Reference<Group> local,
                           Reference<Group> remote)
    : Object(object_kind),
      owner(of),
      context(contexts),
      group(std::move(local)),
      remote_group(std::move(remote)),
      rank(group->member_of(of.number())) {}

Communicator::~Communicator() = default;

collective::GroupHandle& Communicator::collectives() {
  if (!collectives_) {
    collectives_.emplace(
        owner.services().groups.join(owner.endpoint(), context_of(Traffic::collectives), group->ranks));
  }
  return *collectives_;
}

}  // namespace taihu::mpi
