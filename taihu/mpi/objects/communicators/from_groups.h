// SPDX-License-Identifier: Apache-2.0
// Communicators of groups whose members have no communicator in common (MPI-5.0 section 7.4.2): they meet in
// contexts that follow from the text which the program gives, and from the members.
#pragma once

#include <string_view>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// As MPI_Comm_create_from_group: the members of `group`, the caller among them, call with the same `text`.
/// Calls at the same time with other texts or other members do not meet (they would with a chance of 2^-61).
/// The result has no error handler yet.
Reference<Communicator> make_from_text(Rank& rank, const Reference<Group>& group, std::string_view text);

/// Two groups without a common member, and who speaks for each: member numbers.
struct TwoSides {
  Reference<Group> local;
  int local_leader;
  Reference<Group> remote;  ///< used on the local leader only
  int remote_leader;
};
/// As MPI_Intercomm_create_from_groups.
Reference<Communicator> join_from_text(Rank& rank, const TwoSides& sides, std::string_view text);

}  // namespace taihu::mpi
