// SPDX-License-Identifier: Apache-2.0
// Agreement by messages among ranks that have no collectives in common: both sides of an intercommunicator,
// the members of a group that become a communicator (MPI_Comm_create_group).
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// What the ranks tell each other.
using Words = std::vector<std::int64_t>;

/// All ranks of a circle name the same ones, in the same order, and call the same functions in the same order
/// on one pair of context and tag. Calls block.
struct Circle {
  message::Endpoint& endpoint;
  message::Context context;
  int tag;
  std::vector<int> ranks;  ///< of the job
  int me;                  ///< index of the caller in `ranks`

  int size() const noexcept { return static_cast<int>(ranks.size()); }

  /// Everybody has the words of ranks[0] then. By a binomial tree.
  void broadcast(Words& words) const;
  /// The words of everybody, in the order of `ranks`; they may differ in number.
  std::vector<Words> allgather(const Words& mine) const;

 private:
  void send(int index, const Words& words) const;
  Words receive(int index) const;
};

/// Both groups of an intercommunicator, the one whose first member has the lower rank in the job in front.
Circle circle_of(Communicator& intercommunicator);
/// Whether the local group of an intercommunicator is in front there.
bool local_group_first(const Communicator& intercommunicator) noexcept;

}  // namespace taihu::mpi
