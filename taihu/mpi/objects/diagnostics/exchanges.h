// SPDX-License-Identifier: Apache-2.0
// What the members of large communicators send each other in MPI_Alltoallv and MPI_Alltoallw. With so many of
// them a block without bytes is no message (collective/choice.h), so that who expects something of a member
// that sends nothing, or the other way round, waits without a word. The watch over a job compares these
// lists.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// A block that is not empty, to or from rank `peer` of the job.
struct ExchangedBlock {
  int peer;
  std::int64_t bytes;
};

/// One rank's part in an exchange. Both lists in the order of members.
struct Exchange {
  PendingCollective about;
  std::vector<ExchangedBlock> sent, received;
};

/// The latest exchanges of a rank, under way or not: a member may have gone on where another waits for it.
/// Any thread.
class Exchanges final : public RankPart {
 public:
  /// One with more blocks, sent or received, is not kept: the lists travel between node processes.
  static constexpr std::size_t most_blocks = 256;

  explicit Exchanges(Rank&) {}
  static Exchanges& of(Rank& rank) { return rank.part<Exchanges>(Part::exchanges); }

  void keep(Exchange exchange);
  std::vector<Exchange> latest();

 private:
  std::mutex lock_;
  std::deque<Exchange> latest_;  ///< the newest last
};

}  // namespace taihu::mpi
