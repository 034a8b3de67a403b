// SPDX-License-Identifier: Apache-2.0
// The sizes at which the message layer changes its ways inside a node process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "taihu/base/mpi_launcher.h"

namespace taihu::message {

/// Whether every rank of the node has a core of its own.
enum class Cores : std::uint8_t { enough, crowded };

struct Tuning {
  Cores cores = Cores::enough;
  std::uint32_t ring_lines = 128;  ///< of 64 bytes, for each pair of ranks
  std::size_t eager_bytes = 1024;  ///< longer messages are announced and copied once by the receiver
  /// A blocking send of more than this announces as well, as long as its receiver proves to be waiting: one
  /// copy by a waiting receiver is sooner done than moving the cache lines of a ring.
  std::size_t pushed_bytes = 512;
  /// A non-blocking send of more than this announces likewise: in a stream of messages one copy costs less
  /// than two, and its way overlaps with those of others.
  std::size_t pushed_stream_bytes = 256;
  /// Up to here a standard send whose receive does not come is buffered at the receiver in the end.
  std::size_t buffered_bytes = 64 * 1024;
  /// From here on the sender helps with the copy when it waits anyway: when its core is near to the
  /// receiver's, and when it is far or nothing is known yet.
  std::size_t shared_copy_bytes = 64 * 1024;
  std::size_t shared_copy_far_bytes = 256 * 1024;
  /// Turns, with a pause instruction (some 25 ns) each, in which a blocking call looks at nothing but the
  /// cache line that its partner will write. About as long as a switch of threads takes.
  int watch_turns = 40;

  bool operator==(const Tuning&) const = default;
};

/// For so many ranks in this process. Users may set TAIHU_EAGER_BYTES, TAIHU_PUSHED_BYTES,
/// TAIHU_PUSHED_STREAM_BYTES, TAIHU_BUFFERED_BYTES and TAIHU_SHARED_COPY_BYTES (such as 4K); throws Error
/// when a value is not a size, or TAIHU_EAGER_BYTES exceeds largest_eager_bytes(). With so many ranks that
/// rings are small, eager messages are as long as a ring holds.
Tuning tuning_for(int local_ranks, Cores cores, Environment environment);
/// What the ring of a pair of few ranks holds.
std::size_t largest_eager_bytes() noexcept;

class Node;
/// What a node that Node::create has made goes by.
const Tuning& tuning_of(const Node& node) noexcept;

}  // namespace taihu::message
