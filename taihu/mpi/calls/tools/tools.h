// SPDX-License-Identifier: Apache-2.0
// What a rank keeps for tools: how often MPI_T has been started, and the handles and sessions that tools
// hold. Handles are looked up by their address among those, so that a stale one is an error and not a crash.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "taihu/mpi/calls/tools/variables.h"

namespace taihu::mpi::tools {

struct ControlHandle {
  const ControlVariable* variable;
};

/// A counter as one tool sees it: `base` is what the rank had counted when the tool's count was zero.
struct CounterHandle {
  const PerformanceVariable* variable;
  std::uint64_t base;
};

/// The counters of one tool; it does not disturb those of others.
struct ToolSession {
  std::map<const void*, std::unique_ptr<CounterHandle>> counters;
};

class Tools : public RankPart {
 public:
  explicit Tools(Rank&) {}
  static Tools& of(Rank& rank) { return rank.part<Tools>(Part::tools); }

  std::mutex lock;  ///< of everything below
  int starts = 0;   ///< MPI_T_init_thread without MPI_T_finalize
  std::map<const void*, std::unique_ptr<ControlHandle>> controls;
  std::map<const void*, std::unique_ptr<ToolSession>> sessions;

  /// The last MPI_T_finalize: handles and sessions end.
  void clear();
};

}  // namespace taihu::mpi::tools
