// SPDX-License-Identifier: Apache-2.0
// Collectives that a rank has begun and that have not ended: what the watch over a job compares among ranks.
#pragma once

#include <cstdint>

namespace taihu::mpi {

struct PendingCollective {
  const char* call = nullptr;  ///< a literal
  std::uint64_t context = 0;   ///< Communicator::context
  int members = 0;             ///< ranks of the communicator
  int root = -1;               ///< -1: has none, or it is another on each member
  /// Of a block, which must be the same on all members; -1: there is no such length.
  std::int64_t block_bytes = -1;
  bool in_background = false;  ///< begun by a call that does not wait
  /// Members that are in the same collective of a communicator, in the background or not, have the same
  /// number; 0: not known.
  std::uint64_t number = 0;
};

}  // namespace taihu::mpi
