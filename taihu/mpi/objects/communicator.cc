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

collective::GroupHandle& Communicator::joined(std::optional<collective::GroupHandle>& handle,
                                              Traffic traffic) {
  if (!handle)
    handle.emplace(owner.services().groups.join(owner.endpoint(), context_of(traffic), group->ranks));
  return *handle;
}

collective::GroupHandle& Communicator::collectives() {
  return joined(collectives_, Traffic::collectives);
}

collective::GroupHandle& Communicator::collectives_inside() {
  return joined(collectives_inside_, Traffic::inside);
}

}  // namespace taihu::mpi
