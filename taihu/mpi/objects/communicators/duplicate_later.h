// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_idup: the members agree on contexts while the program goes on.
#pragma once

#include <mutex>
#include <vector>

#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/request.h"

namespace taihu::mpi {

/// One member allocates the contexts as soon as it calls and sends them to all others, who receive them
/// whenever they call: nobody waits for more than the call of that one member, and messages need no help of
/// the program.
class DuplicateLater final : public Request {
 public:
  /// All members of `parent` make one, in the same order of collective calls.
  explicit DuplicateLater(Communicator& parent);

  Communicator& made() noexcept { return *made_; }

  bool is_complete(Rank& rank) override;
  Outcome outcome(Rank&) override { return {}; }
  Outcome finish(Rank&) override { return {}; }
  void abandon(Rank& rank) override;

 private:
  const Reference<Communicator> parent_;
  const Reference<Communicator> made_;
  message::Context contexts_ = 0;
  std::mutex lock_;
  std::vector<message::Request*> under_way_;
};

}  // namespace taihu::mpi
