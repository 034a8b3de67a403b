// SPDX-License-Identifier: Apache-2.0
// The calls and point-to-point messages of one thread, kept for `marun --trace` until the job ends. Nothing
// here runs unless the job asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taihu::mpi {

class Rank;
struct ObservedCall;

/// Whether calls are traced. Set before ranks run, constant afterwards.
extern bool call_trace_wanted;
/// Traces calls: up to `most_calls` of the job, and as many messages, dealt evenly to its ranks. Before ranks
/// run.
void trace_calls(std::size_t most_calls, int ranks) noexcept;

/// A call that has sent, received or waited.
struct TracedCall {
  const char* call;
  std::int64_t begin_ns,
      end_ns;  ///< since the epoch: clocks of several machines are only comparable that way
  std::uint64_t bytes;
  std::int32_t peer, tag;   ///< rank of the job and tag of the last message
  std::int32_t messages;    ///< sent or received by it
  std::int32_t collective;  ///< index into ThreadTrace::collectives; -1: none
};

/// What is told of a collective call besides.
struct CollectiveOfCall {
  std::string communicator;
  std::uint64_t number;
  int root;  ///< -1: none
};

/// One end of a message.
struct MessageEnd {
  std::int64_t time_ns;  ///< within the call that has sent it, or has found it received
  std::uint64_t context;
  std::uint64_t number;  ///< orders the sends, and the receives by their posting, of a rank
  std::uint64_t bytes;
  std::int32_t peer, tag;
  bool is_sent;
};

/// Written by its thread alone, read when that is outside of calls.
struct ThreadTrace {
  std::vector<TracedCall> calls;
  std::vector<CollectiveOfCall> collectives;
  std::vector<MessageEnd> messages;
  std::uint64_t left_out = 0;             ///< calls for which there was no more room
  std::uint64_t first_lost = UINT64_MAX;  ///< messages from this number on cannot be told apart
};

/// Orders the messages of a rank: of sends and posted receives, a later one gets a higher number. Any thread.
std::uint64_t next_message_number(Rank& rank) noexcept;

// For the functions of statistics.h:
void begin_traced(ObservedCall& call) noexcept;
void end_traced(ThreadTrace& trace, ObservedCall& call, const char* name, bool has_waited) noexcept;
void add_message(ThreadTrace& trace, ObservedCall& call, const MessageEnd& end) noexcept;
void add_collective(ThreadTrace& trace, ObservedCall& call, const std::string& communicator,
                    std::uint64_t number, int root);

}  // namespace taihu::mpi
