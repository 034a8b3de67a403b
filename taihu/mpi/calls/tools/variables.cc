// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/calls/tools/variables.h"

#include "taihu/mpi/objects/statistics.h"

namespace taihu::mpi::tools {
namespace {

using message::Tuning;

constexpr ControlVariable controls[] = {
    {"TAIHU_EAGER_BYTES",
     "Longer messages inside a node process are announced and copied once, by the receiver.",
     &Tuning::eager_bytes},
    {"TAIHU_PUSHED_BYTES",
     "Blocking sends of more than this are announced when their receiver proves to be waiting.",
     &Tuning::pushed_bytes},
    {"TAIHU_PUSHED_STREAM_BYTES", "Non-blocking sends of more than this are announced likewise.",
     &Tuning::pushed_stream_bytes},
    {"TAIHU_BUFFERED_BYTES",
     "Up to here a standard send whose receive does not come is buffered at the receiver in the end.",
     &Tuning::buffered_bytes},
    {"TAIHU_SHARED_COPY_BYTES", "From here on a sender that waits helps its receiver with the copy.",
     &Tuning::shared_copy_bytes},
};

constexpr PerformanceVariable counters[] = {
    {"taihu_messages_inside", "Messages sent to ranks of the same node process.", true, false},
    {"taihu_messages_outside", "Messages sent to ranks of other node processes.", false, false},
    {"taihu_bytes_inside", "Bytes sent to ranks of the same node process.", true, true},
    {"taihu_bytes_outside", "Bytes sent to ranks of other node processes.", false, true},
};

}  // namespace

std::span<const ControlVariable> control_variables() noexcept {
  return controls;
}

std::span<const PerformanceVariable> performance_variables() noexcept {
  if (!statistics_wanted) return {};
  return counters;
}

std::uint64_t value_of(const PerformanceVariable& variable, Rank& rank) noexcept {
  const node::MessageCounts counts = messages_of(rank.number());
  const int where = variable.inside ? 0 : 1;
  return variable.in_bytes ? counts.bytes[where] : counts.messages[where];
}

}  // namespace taihu::mpi::tools
