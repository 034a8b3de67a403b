// SPDX-License-Identifier: Apache-2.0
// Making communicators: agreement of the members on contexts. One member allocates them
// (Rank::allocate_contexts) and tells the others, so that no two communicators of a job ever have the same,
// also when several threads make communicators at once.
#pragma once

#include <optional>
#include <vector>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// All members of `communicator` call: one with the same groups and new contexts, error handler inherited,
/// without attributes, topology, hints and name. For MPI_Comm_dup, windows and files.
Reference<Communicator> duplicate(Communicator& communicator);

/// All members of the intracommunicator `communicator` call with one and the same `members` (numbers in it,
/// in the order of the new one); null for those that are not among them.
Reference<Communicator> make_subset(Communicator& communicator, const std::vector<int>& members);

/// As MPI_Comm_split for communicators of both kinds; null with `color` MPI_UNDEFINED, and when the other
/// side of an intercommunicator has no member of the color.
Reference<Communicator> split(Communicator& communicator, int color, int key);

/// As MPI_Comm_create for communicators of both kinds; null for those that are not in `group`.
Reference<Communicator> make_part(Communicator& communicator, const Reference<Group>& group);

/// As MPI_Comm_create_group: only the members of `group`, the caller among them, call, by messages with
/// `tag`.
Reference<Communicator> make_from_group(Communicator& communicator, const Reference<Group>& group, int tag);

/// The leader of the other side in MPI_Intercomm_create.
struct RemoteLeader {
  Communicator* peers;  ///< a communicator in which the leaders know each other; used by the leader only
  int member;           ///< in it
  int tag;
};
/// As MPI_Intercomm_create: all members of `local` call.
Reference<Communicator> join_groups(Communicator& local, int leader, const RemoteLeader& remote);

/// As MPI_Intercomm_merge.
Reference<Communicator> merge(Communicator& intercommunicator, bool high);

/// A communicator with the parent's error handler, for those who have agreed on its contexts.
Reference<Communicator> make_child(Communicator& parent, message::Context contexts, Reference<Group> group,
                                   Reference<Group> remote = {});

}  // namespace taihu::mpi
