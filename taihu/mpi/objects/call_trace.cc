// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/call_trace.h"

#include <algorithm>
#include <ctime>
#include <new>

#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/objects/statistics.h"

namespace taihu::mpi {

bool call_trace_wanted = false;

namespace {

std::size_t most_of_thread = 0;

std::int64_t epoch_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

void trace_calls(std::size_t most_calls, int ranks) noexcept {
  call_trace_wanted = true;
  most_of_thread = std::max<std::size_t>(1, most_calls / static_cast<std::size_t>(std::max(1, ranks)));
}

std::uint64_t next_message_number(Rank& rank) noexcept {
  return rank.message_numbers.fetch_add(1, std::memory_order_relaxed);
}

void begin_traced(ObservedCall& call) noexcept {
  call.traced = {.call = nullptr,
                 .begin_ns = epoch_ns(),
                 .end_ns = 0,
                 .bytes = 0,
                 .peer = -1,
                 .tag = -1,
                 .messages = 0,
                 .collective = -1};
}

void end_traced(ThreadTrace& trace, ObservedCall& call, const char* name, bool has_waited) noexcept {
  TracedCall& traced = call.traced;
  if (traced.messages == 0 && traced.collective < 0 && !has_waited) return;
  traced.call = name;
  traced.bytes = call.bytes;
  traced.end_ns = epoch_ns();
  try {
    if (trace.calls.size() < most_of_thread) return trace.calls.push_back(traced);
  } catch (const std::bad_alloc&) {
    // As if that were all there is room for.
  }
  ++trace.left_out;
}

void add_message(ThreadTrace& trace, ObservedCall& call, const MessageEnd& end) noexcept {
  ++call.traced.messages;
  call.traced.peer = end.peer;
  call.traced.tag = end.tag;
  try {
    // Of a call that has no more room the arrows would end in nothing.
    if (trace.messages.size() < most_of_thread && trace.calls.size() < most_of_thread) {
      trace.messages.push_back(end);
      trace.messages.back().time_ns = epoch_ns();
      return;
    }
  } catch (const std::bad_alloc&) {
  }
  trace.first_lost = std::min(trace.first_lost, end.number);
}

void add_collective(ThreadTrace& trace, ObservedCall& call, const std::string& communicator,
                    std::uint64_t number, int root) {
  if (trace.collectives.size() < most_of_thread && trace.calls.size() < most_of_thread)
    trace.collectives.push_back({communicator, number, root});
  call.traced.collective = static_cast<std::int32_t>(trace.collectives.size()) - 1;
}

}  // namespace taihu::mpi
