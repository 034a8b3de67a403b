// SPDX-License-Identifier: Apache-2.0
// What `marun --stats` counts: calls, their bytes and the time in them, by name and by the place in the
// program, by thread; messages by rank (node/call_statistics.h). Off unless the job asks for it: then a call
// tests one flag at its begin and end, and one more for each message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "taihu/message/endpoint.h"
#include "taihu/mpi/objects/call_sites.h"
#include "taihu/mpi/objects/call_trace.h"
#include "taihu/node/call_statistics.h"

namespace taihu::mpi {

class Rank;
struct CallRecord;
struct Communicator;

/// Whether calls are looked at. Set before ranks run, constant afterwards.
extern bool calls_observed;
/// Whether they are counted.
extern bool statistics_wanted;
/// Sets them: for statistics, or for other reasons as well. Before ranks run.
void observe_calls(bool statistics, bool others = false) noexcept;

/// A call under way.
struct ObservedCall {
  std::int64_t begin_ns;
  std::uint64_t bytes;
  ObservedCall* outer;  ///< that this one is nested in; of a spare one: the next spare one
  TracedCall traced;    ///< unset unless calls are traced
};

/// What is kept of the calls of one thread.
struct CallObserver {
  node::CallTimes times;
  CallSites sites;
  ThreadTrace trace;
  ObservedCall* current = nullptr;
  ObservedCall* spare = nullptr;   ///< those of ended calls
  std::deque<ObservedCall> calls;  ///< all there have been
};

/// For CurrentCall. Null where there is no memory for it.
__attribute__((cold)) ObservedCall* begin_observed(CallRecord& record) noexcept;
__attribute__((cold)) void end_observed(CallRecord& record, ObservedCall* call) noexcept;
/// The program may leave the calls under way by a jump: they are forgotten until `resume_observed`.
ObservedCall* leave_observed(CallRecord& record) noexcept;
void resume_observed(CallRecord& record, ObservedCall* call) noexcept;

// Of the calling thread, where calls are observed:

/// A point-to-point message that the current call is about to send to `peer`, a rank of the job.
void note_sent(Rank& rank, int peer, message::Context context, int tag, std::size_t bytes) noexcept;
/// One that it has found received, by a receive that was posted with `number`, of which `bytes` fitted. 0:
/// the latest one.
void note_received(Communicator& communicator, const message::Status& status, std::int64_t bytes,
                   std::uint64_t number = 0) noexcept;
/// Messages of the rank from `number` on cannot be told apart any more: one has no other end.
void note_lost(std::uint64_t number) noexcept;
/// The current call is one of a communicator's collectives, the one with this number; `root`: -1 for none.
void note_collective(const std::string& communicator, std::uint64_t number, int root);
/// Adds to the bytes of the current call: what it sends in a collective, or moves by one-sided communication.
void note_bytes(std::int64_t bytes) noexcept;

/// Messages of all threads of rank `rank` of the job, which is in this node process; zeros when nothing is
/// counted.
node::MessageCounts messages_of(int rank) noexcept;

/// All ranks of the job call (in MPI_Finalize): rank 0 prints the tables of the job on standard error.
void report_statistics(Rank& rank);

}  // namespace taihu::mpi
