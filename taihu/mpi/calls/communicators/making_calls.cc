// SPDX-License-Identifier: Apache-2.0
// Calls that make communicators and free them.
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/circle.h"
#include "taihu/mpi/objects/communicators/duplicate_later.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/work/collectives/reproducible.h"
#include "taihu/mpi/work/collectives/schedule_request.h"
#include "taihu/mpi/work/messages/buffered_sends.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi {
namespace {

/// The handle of a new communicator, which the program has now.
MPI_Comm give(Reference<Communicator> made) {
  return made ? handle_of<MPI_Comm>(made.give_up()) : MPI_COMM_NULL;
}

/// What a duplicate has of its parent besides the groups. Attributes come last: their functions may fail.
void inherit(Rank& rank, Communicator& parent, Communicator& made) {
  made.hints.set(parent.hints.get());
  if (parent.topology) made.topology = std::make_unique<Topology>(*parent.topology);
  try {
    Attributes::of(rank).copy_all(parent, made, Carrier::communicator);
  } catch (const CallError&) {
    // What is there already goes with the new communicator.
    try {
      Attributes::of(rank).remove_all(made, Carrier::communicator);
    } catch (const CallError&) {
      Attributes::of(rank).drop_all(made);
    }
    throw;
  }
}

void set_hints(Communicator& communicator, const Info::Entries& entries) {
  for (const auto& [key, value] : entries) collectives::note_reproducible(key, value);
  communicator.hints.set({entries.begin(), entries.end()});
}

void duplicate_now(Rank& rank, Communicator& parent, const Info::Entries* hints, MPI_Comm* newcomm) {
  require_result(newcomm, "newcomm");
  Reference<Communicator> made = duplicate(parent);
  inherit(rank, parent, *made);
  if (hints != nullptr) set_hints(*made, *hints);
  *newcomm = give(std::move(made));
}

void duplicate_later(Rank& rank, Communicator& parent, const Info::Entries* hints, MPI_Comm* newcomm,
                     MPI_Request* request) {
  require_result(newcomm, "newcomm");
  require_pointer(request, "request");
  Reference<DuplicateLater> later(new DuplicateLater(parent));
  try {
    inherit(rank, parent, later->made());
  } catch (const CallError&) {
    // The others get their communicator; the messages about it must be over before ours goes away.
    later->wait(rank);
    throw;
  }
  if (hints != nullptr) set_hints(later->made(), *hints);
  *newcomm = give(Reference<Communicator>::to(&later->made()));
  *request = handle_of<MPI_Request>(later.give_up());
}

Reference<Group> part_of(Rank& rank, const Communicator& communicator, MPI_Group handle) {
  Group& group = checked<Group>(rank, handle, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL or not valid");
  for (const int member : group.ranks) {
    require(communicator.group->member_of(member) != MPI_UNDEFINED, MPI_ERR_GROUP, [&] {
      return "the group has a member (rank " + std::to_string(member) +
             " of the job) that is not in the group of the communicator";
    });
  }
  // The empty group is the rank's own and stays while the rank does.
  return Reference<Group>::to(&group);
}

/// The color for MPI_Comm_split_type; MPI_UNDEFINED where the kind of hardware is not supported.
int color_of(Rank& rank, int split_type, const Info::Entries& hints) {
  const launch::Layout& layout = rank.layout();
  const int node = layout.node_of_process[static_cast<std::size_t>(layout.process_of(rank.number()))];
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      return node;
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      // The one kind of hardware that the standard names; others are not supported.
      for (const auto& [key, value] : hints)
        if (key == "mpi_hw_resource_type" && value == "mpi_shared_memory") return node;
      return MPI_UNDEFINED;
    case MPI_COMM_TYPE_HW_UNGUIDED:
    case MPI_UNDEFINED:
      return MPI_UNDEFINED;
    default:
      throw CallError(MPI_ERR_ARG, "split_type " + std::to_string(split_type) +
                                       " is unknown; use MPI_COMM_TYPE_SHARED or MPI_UNDEFINED");
  }
}

void free_communicator(Rank& rank, Communicator& communicator, MPI_Comm* handle) {
  require(!communicator.predefined, MPI_ERR_COMM,
          [&] { return communicator.name.get() + " is predefined and cannot be freed"; });
  Attributes::of(rank).remove_all(communicator, Carrier::communicator);
  messages::drop_buffer(rank, communicator.send_buffer);
  *handle = MPI_COMM_NULL;
  if (rank.parent == &communicator) rank.parent = nullptr;  // it was the library's until now
  communicator.release();
}

/// Waits until nothing that this rank has started on the communicator is under way, whether the program still
/// has the requests or not.
void finish_transfers(Rank& rank, const Communicator& communicator) {
  waits_for_members(communicator.context, communicator.size());
  rank.endpoint().wait_until([&] {
    return rank.endpoint().is_idle(communicator.context_of(Traffic::point_to_point)) &&
           rank.part<collectives::Schedules>(Part::schedules)
               .is_idle(communicator.context_of(Traffic::schedules));
  });
  messages::release_abandoned(rank);
}

MPI_Comm handle_at(const MPI_Comm* comm) {
  return comm != nullptr ? *comm : MPI_COMM_NULL;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_dup", comm, [&](Rank& rank, Communicator& communicator) {
    duplicate_now(rank, communicator, nullptr, newcomm);
  });
}

MPI_CALL(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_dup_with_info", comm, [&](Rank& rank, Communicator& communicator) {
    const Info::Entries hints = entries_of(rank, info);
    duplicate_now(rank, communicator, &hints, newcomm);
  });
}

MPI_CALL(int, Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request)) {
  return on_communicator("MPI_Comm_idup", comm, [&](Rank& rank, Communicator& communicator) {
    duplicate_later(rank, communicator, nullptr, newcomm, request);
  });
}

MPI_CALL(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request)) {
  return on_communicator("MPI_Comm_idup_with_info", comm, [&](Rank& rank, Communicator& communicator) {
    const Info::Entries hints = entries_of(rank, info);
    duplicate_later(rank, communicator, &hints, newcomm, request);
  });
}

MPI_CALL(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_create", comm, [&](Rank& rank, Communicator& communicator) {
    require_result(newcomm, "newcomm");
    *newcomm = give(make_part(communicator, part_of(rank, communicator, group)));
  });
}

MPI_CALL(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_create_group", comm, [&](Rank& rank, Communicator& communicator) {
    require_result(newcomm, "newcomm");
    require_intra(communicator);
    require_not_negative(tag, MPI_ERR_TAG, "tag");
    const Reference<Group> part = part_of(rank, communicator, group);
    const bool is_member = part->member_of(rank.number()) != MPI_UNDEFINED;
    *newcomm = is_member ? give(make_from_group(communicator, part, tag)) : MPI_COMM_NULL;
  });
}

MPI_CALL(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_split", comm, [&](Rank&, Communicator& communicator) {
    require_result(newcomm, "newcomm");
    require(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, [&] {
      return "color " + std::to_string(color) + " is negative; use MPI_UNDEFINED for no part at all";
    });
    *newcomm = give(split(communicator, color, key));
  });
}

MPI_CALL(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)) {
  return on_communicator("MPI_Comm_split_type", comm, [&](Rank& rank, Communicator& communicator) {
    require_result(newcomm, "newcomm");
    const int color = color_of(rank, split_type, entries_of(rank, info));
    *newcomm = give(split(communicator, color, key));
  });
}

MPI_CALL(int, Intercomm_create,
         (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
          MPI_Comm* newintercomm)) {
  return on_communicator("MPI_Intercomm_create", local_comm, [&](Rank& rank, Communicator& local) {
    require_result(newintercomm, "newintercomm");
    require_intra(local);
    require_member(local_leader, local.size(), MPI_ERR_RANK, "local_leader");
    Communicator* const peers = local.rank == local_leader ? rank.find<Communicator>(peer_comm) : nullptr;
    *newintercomm = give(join_groups(local, local_leader, {peers, remote_leader, tag}));
  });
}

MPI_CALL(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintracomm)) {
  return on_communicator("MPI_Intercomm_merge", intercomm, [&](Rank&, Communicator& communicator) {
    require_result(newintracomm, "newintracomm");
    require_inter(communicator);
    *newintracomm = give(merge(communicator, high != 0));
  });
}

MPI_CALL(int, Comm_free, (MPI_Comm * comm)) {
  return on_communicator("MPI_Comm_free", handle_at(comm), [&](Rank& rank, Communicator& communicator) {
    free_communicator(rank, communicator, comm);
  });
}

MPI_CALL(int, Comm_disconnect, (MPI_Comm * comm)) {
  return on_communicator("MPI_Comm_disconnect", handle_at(comm), [&](Rank& rank, Communicator& communicator) {
    require(!communicator.predefined, MPI_ERR_COMM,
            [&] { return communicator.name.get() + " is predefined and cannot be disconnected"; });
    // Every member has sent and received what it wanted before any of them goes on.
    finish_transfers(rank, communicator);
    if (communicator.is_inter()) {
      circle_of(communicator).allgather({});
    } else {
      barrier_inside(communicator);
    }
    free_communicator(rank, communicator, comm);
  });
}
