// SPDX-License-Identifier: Apache-2.0
// Sessions: beginning and end, process sets, error handlers (MPI-5.0 sections 9.3 and 11.3).
#include <algorithm>
#include <cstring>

#include "taihu/mpi/calls/sessions/process_sets.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/objects/session_call.h"
#include "taihu/mpi/work/messages/buffered_sends.h"

namespace taihu::mpi {
namespace {

constexpr const char* thread_level_key = "thread_level";

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session)) {
  return at_any_time("MPI_Session_init", [&](Rank& rank) {
    require_pointer(session, "session");
    *session = MPI_SESSION_NULL;
    const Info::Entries entries = entries_of(rank, info);
    Reference<Session> made(new Session);
    made->errors = handler_for(rank, errhandler, ErrorHandler::Use::session);
    std::map<std::string, std::string> hints;
    for (const auto& [key, value] : entries)
      if (key == "mpi_memory_alloc_kinds") hints[key] = "mpi,system";
    // Every level is provided, whatever was asked for.
    hints[thread_level_key] = "MPI_THREAD_MULTIPLE";
    made->hints.set(std::move(hints));
    if (rank.sessions.fetch_add(1) == 0 && rank.phase == Rank::Phase::before)
      rank.main_thread = pthread_self();
    *session = handle_of<MPI_Session>(made.give_up());
  });
}

MPI_CALL(int, Session_finalize, (MPI_Session * session)) {
  return on_session("MPI_Session_finalize", session != nullptr ? *session : MPI_SESSION_NULL,
                    [&](Rank& rank, Session& of_program) {
                      messages::drop_buffer(rank, of_program.send_buffer);
                      // What was left to the library is completed while MPI may still be used.
                      if (rank.sessions.load() == 1 && rank.phase != Rank::Phase::running)
                        rank.finish_parts();
                      *session = MPI_SESSION_NULL;
                      of_program.release();
                      rank.sessions.fetch_sub(1);
                    });
}

MPI_CALL(int, Session_get_num_psets, (MPI_Session session, MPI_Info, int* npset_names)) {
  return on_session("MPI_Session_get_num_psets", session, [&](Rank&, Session&) {
    require_pointer(npset_names, "npset_names");
    *npset_names = static_cast<int>(process_set_names().size());
  });
}

MPI_CALL(int, Session_get_nth_pset, (MPI_Session session, MPI_Info, int n, int* pset_len, char* pset_name)) {
  return on_session("MPI_Session_get_nth_pset", session, [&](Rank&, Session&) {
    require_pointer(pset_len, "pset_len");
    require_member(n, static_cast<int>(process_set_names().size()), MPI_ERR_ARG, "n");
    const char* const name = process_set_names()[static_cast<std::size_t>(n)];
    const int needed = static_cast<int>(std::strlen(name)) + 1;
    if (*pset_len > 0) {
      require_pointer(pset_name, "pset_name");
      const int kept = std::min(needed, *pset_len) - 1;
      std::memcpy(pset_name, name, static_cast<std::size_t>(kept));
      pset_name[kept] = '\0';
    }
    *pset_len = needed;
  });
}

MPI_CALL(int, Session_get_info, (MPI_Session session, MPI_Info* info_used)) {
  return on_session("MPI_Session_get_info", session, [&](Rank&, Session& of_program) {
    require_pointer(info_used, "info_used");
    const auto hints = of_program.hints.get();
    *info_used = handle_of<MPI_Info>(new Info({hints.begin(), hints.end()}));
  });
}

MPI_CALL(int, Session_get_pset_info, (MPI_Session session, const char* pset_name, MPI_Info* info)) {
  return on_session("MPI_Session_get_pset_info", session, [&](Rank& rank, Session&) {
    require_pointer(pset_name, "pset_name");
    require_pointer(info, "info");
    Info::Entries entries = {{"mpi_size", std::to_string(members_of_set(rank, pset_name).size())}};
    *info = handle_of<MPI_Info>(new Info(std::move(entries)));
  });
}

MPI_CALL(int, Session_create_errhandler,
         (MPI_Session_errhandler_function * session_errhandler_fn, MPI_Errhandler* errhandler)) {
  return at_any_time("MPI_Session_create_errhandler", [&](Rank&) {
    require_pointer(errhandler, "errhandler");
    *errhandler =
        create_handler(ErrorHandler::Use::session, reinterpret_cast<void (*)()>(session_errhandler_fn));
  });
}

MPI_CALL(int, Session_set_errhandler, (MPI_Session session, MPI_Errhandler errhandler)) {
  return on_session("MPI_Session_set_errhandler", session, [&](Rank& rank, Session& of_program) {
    replace_handler(of_program.errors, handler_for(rank, errhandler, ErrorHandler::Use::session));
  });
}

MPI_CALL(int, Session_get_errhandler, (MPI_Session session, MPI_Errhandler* errhandler)) {
  return on_session("MPI_Session_get_errhandler", session, [&](Rank&, Session& of_program) {
    require_pointer(errhandler, "errhandler");
    *errhandler = handle_for_program(of_program.errors);
  });
}

MPI_CALL(int, Session_call_errhandler, (MPI_Session session, int errorcode)) {
  return on_session("MPI_Session_call_errhandler", session, [&](Rank& rank, Session& of_program) {
    call_handler(rank, of_program.errors, {&of_program, 0, "a session"}, "MPI_Session_call_errhandler",
                 errorcode);
  });
}
