// SPDX-License-Identifier: Apache-2.0
// The guard of calls on sessions, as those in call.h.
#pragma once

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/session.h"

namespace taihu::mpi {

/// body(Rank&, Session&); failures go to the session's error handler.
template <class Body>
inline __attribute__((always_inline)) int on_session(const char* call, MPI_Session handle, Body&& body) {
  Rank& rank = this_rank(call);
  const CurrentCall current(call, __builtin_return_address(0));
  Session* const session = rank.find<Session>(handle);
  return detail::guarded(
      [&] {
        require(session != nullptr, MPI_ERR_SESSION, "the session is MPI_SESSION_NULL or not valid");
        body(rank, *session);
      },
      [&](const CallError& error) {
        return session != nullptr ? handle_error(rank, call, *session, error)
                                  : handle_error(rank, call, static_cast<Communicator*>(nullptr), error);
      });
}

}  // namespace taihu::mpi
