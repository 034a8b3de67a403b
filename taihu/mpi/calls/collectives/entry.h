// SPDX-License-Identifier: Apache-2.0
// The three forms in which a program calls a collective.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "taihu/mpi/calls/collectives/bytes_sent.h"
#include "taihu/mpi/calls/collectives/pending.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/diagnostics/collective_trace.h"
#include "taihu/mpi/work/collectives/reproducible.h"
#include "taihu/mpi/work/collectives/running.h"

namespace taihu::mpi::collectives {

inline Side equal_blocks(const void* address, MPI_Count count, MPI_Datatype type) noexcept {
  return {address, count, type};
}
inline Side unequal_blocks(const void* address, Integers counts, Integers displacements,
                           MPI_Datatype type) noexcept {
  return {address, 0, type, counts, displacements};
}
inline Side typed_blocks(const void* address, Integers counts, Integers displacements,
                         const MPI_Datatype* types) noexcept {
  return {address, 0, MPI_DATATYPE_NULL, counts, displacements, types};
}

template <class Arguments>
inline __attribute__((always_inline)) int run_blocking(const char* call, MPI_Comm comm,
                                                       const Arguments& arguments) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    if (calls_observed) [[unlikely]] {
      note_bytes(bytes_of_member(rank, communicator, arguments));
      const TracedCollective traced(rank, communicator, call, bytes_sent(rank, arguments),
                                    root_of(arguments));
      return run(rank, communicator, call, arguments);
    }
    // In one node process lengths that do not fit together are told before anybody waits.
    if (rank.layout().processes == 1) return run(rank, communicator, call, arguments);
    PendingCollective pending = pending_collective(rank, communicator, call, arguments);
    pending.number = std::exchange(communicator.next_collective, 0);
    waits_in_collective(pending);
    keep_exchange(rank, communicator, pending, arguments);
    run(rank, communicator, call, arguments);
    if (pending.number != 0) communicator.next_collective = pending.number + 1;
  });
}

/// Whether the caller is the only one who takes part, so that the call is complete when it has begun. Not
/// among the neighbours of a topology, where a member may be its own neighbour several times; and what cannot
/// be made reproducible is refused there as everywhere.
template <class Arguments>
bool is_of_one_member(const Communicator& communicator) noexcept {
  if constexpr (std::is_same_v<Arguments, NeighborAllgather> || std::is_same_v<Arguments, NeighborAlltoall>)
    return false;
  return communicator.has_one_member() && !reproducible_wanted();
}

/// A call whose arguments are refused takes no tag: the program may make it again.
template <class Arguments>
Reference<ScheduleRequest> make_request(Rank& rank, Communicator& communicator, const char* call,
                                        const Arguments& arguments) {
  return Reference<ScheduleRequest>(
      new ScheduleRequest(communicator, pending_collective(rank, communicator, call, arguments),
                          plan(rank, communicator, arguments)));
}

template <class Arguments>
inline __attribute__((always_inline)) int start_nonblocking(const char* call, MPI_Comm comm,
                                                            const Arguments& arguments,
                                                            MPI_Request* request) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    require(request != nullptr, MPI_ERR_ARG, "the address for the request is a null pointer");
    *request = MPI_REQUEST_NULL;
    std::optional<TracedCollective> traced;
    if (calls_observed) [[unlikely]] {
      note_bytes(bytes_of_member(rank, communicator, arguments));
      traced.emplace(rank, communicator, call, bytes_sent(rank, arguments), root_of(arguments));
    }
    if (is_of_one_member<Arguments>(communicator)) {
      run(rank, communicator, call, arguments);
      *request = handle_of<MPI_Request>(&complete_request(rank));
      return;
    }
    auto made = make_request(rank, communicator, call, arguments);
    rank.part<Schedules>(Part::schedules).start(*made);
    keep_exchange(rank, communicator, made->about(), arguments);
    *request = handle_of<MPI_Request>(made.give_up());
  });
}

/// Hints are for the library to use or not; there are none that it knows.
template <class Arguments>
inline __attribute__((always_inline)) int make_persistent(const char* call, MPI_Comm comm,
                                                          const Arguments& arguments, MPI_Info,
                                                          MPI_Request* request) {
  return on_communicator(call, comm, [&](Rank& rank, Communicator& communicator) {
    require(request != nullptr, MPI_ERR_ARG, "the address for the request is a null pointer");
    *request = MPI_REQUEST_NULL;
    auto made = make_request(rank, communicator, call, arguments);
    made->persistent = true;
    made->active = false;
    *request = handle_of<MPI_Request>(made.give_up());
  });
}

}  // namespace taihu::mpi::collectives
