// SPDX-License-Identifier: Apache-2.0
// From process sets to groups, from groups to communicators (MPI-5.0 sections 7.3.2 and 7.4.2).
#include <cstring>
#include <string_view>

#include "taihu/mpi/calls/sessions/process_sets.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/communicators/from_groups.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/objects/session_call.h"
#include "taihu/mpi/work/collectives/reproducible.h"

namespace taihu::mpi {
namespace {

Reference<Group> group_argument(Rank& rank, MPI_Group handle) {
  return Reference<Group>::to(
      &checked<Group>(rank, handle, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL or not valid"));
}

std::string_view text_argument(const char* stringtag) {
  require_pointer(stringtag, "stringtag");
  const std::string_view text(stringtag, strnlen(stringtag, MPI_MAX_STRINGTAG_LEN));
  require(text.size() < MPI_MAX_STRINGTAG_LEN, MPI_ERR_ARG, "stringtag is longer than MPI_MAX_STRINGTAG_LEN");
  return text;
}

/// Runs body(); failures go to the handler that the program has given for the communicator to be, as there is
/// no object yet.
template <class Body>
int with_handler(Rank& rank, const char* call, const Reference<ErrorHandler>& handler, Body&& body) {
  return detail::guarded(body, [&](const CallError& error) {
    return run_handler(rank, handler, {nullptr, reinterpret_cast<std::uintptr_t>(MPI_COMM_NULL), {}}, call,
                       error);
  });
}

void give(Rank& rank, Reference<Communicator> made, MPI_Info info, const Reference<ErrorHandler>& handler,
          MPI_Comm* result) {
  made->errors = handler;
  const Info::Entries entries = entries_of(rank, info);
  for (const auto& [key, value] : entries) collectives::note_reproducible(key, value);
  made->hints.set({entries.begin(), entries.end()});
  *result = handle_of<MPI_Comm>(made.give_up());
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Group_from_session_pset, (MPI_Session session, const char* pset_name, MPI_Group* newgroup)) {
  return on_session("MPI_Group_from_session_pset", session, [&](Rank& rank, Session& of_program) {
    require_pointer(newgroup, "newgroup");
    *newgroup = MPI_GROUP_NULL;
    require_pointer(pset_name, "pset_name");
    *newgroup =
        handle_of<MPI_Group>(new Group(members_of_set(rank, pset_name), Reference<Session>::to(&of_program)));
  });
}

MPI_CALL(int, Comm_create_from_group,
         (MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
          MPI_Comm* newcomm)) {
  constexpr const char* call = "MPI_Comm_create_from_group";
  int result = MPI_SUCCESS;
  const int code = on_rank(call, [&](Rank& rank) {
    const Reference<ErrorHandler> handler = handler_for(rank, errhandler, ErrorHandler::Use::communicator);
    result = with_handler(rank, call, handler, [&] {
      require_result(newcomm, "newcomm");
      const Reference<Group> members = group_argument(rank, group);
      const std::string_view text = text_argument(stringtag);
      if (members->size() == 0) return;
      require(members->member_of(rank.number()) != MPI_UNDEFINED, MPI_ERR_GROUP,
              "the caller is not a member of the group");
      give(rank, make_from_text(rank, members, text), info, handler, newcomm);
    });
  });
  return code != MPI_SUCCESS ? code : result;
}

MPI_CALL(int, Intercomm_create_from_groups,
         (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
          const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm)) {
  constexpr const char* call = "MPI_Intercomm_create_from_groups";
  int result = MPI_SUCCESS;
  const int code = on_rank(call, [&](Rank& rank) {
    const Reference<ErrorHandler> handler = handler_for(rank, errhandler, ErrorHandler::Use::communicator);
    result = with_handler(rank, call, handler, [&] {
      require_result(newintercomm, "newintercomm");
      const Reference<Group> local = group_argument(rank, local_group);
      const std::string_view text = text_argument(stringtag);
      require(local->member_of(rank.number()) != MPI_UNDEFINED, MPI_ERR_GROUP,
              "the caller is not a member of the local group");
      require_member(local_leader, local->size(), MPI_ERR_RANK, "local_leader");
      // Of meaning on the leader alone; wrong arguments there are told to its side.
      Reference<Group> remote = Reference<Group>::to(rank.find<Group>(remote_group));
      give(rank, join_from_text(rank, {local, local_leader, std::move(remote), remote_leader}, text), info,
           handler, newintercomm);
    });
  });
  return code != MPI_SUCCESS ? code : result;
}
