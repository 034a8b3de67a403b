// SPDX-License-Identifier: Apache-2.0
// Which rank the calling thread works for. Set by the thread that enters a rank's program and inherited by
// every thread that the rank starts (accelerator threads, pthreads, OpenMP workers).
#pragma once

namespace taihu::memory {

class RankProcess;

/// Identity of a rank inside a node process. Lives as long as the node process.
struct RankIdentity {
  int rank = -1;         ///< global rank
  int local_index = -1;  ///< index among the ranks of this node process
  RankProcess* process =
      nullptr;              ///< the rank's own state of libc calls (libc/rank_process.h), set by its image
  void* runtime = nullptr;  ///< per-rank state of the language runtime above (its owner)
};

namespace detail {
extern constinit __attribute__((tls_model("initial-exec"))) thread_local RankIdentity* current_rank;
}

/// The caller's rank, or null on threads of the node process itself. One load.
inline RankIdentity* current_rank() noexcept {
  return detail::current_rank;
}

inline void set_current_rank(RankIdentity* rank) noexcept {
  detail::current_rank = rank;
}

}  // namespace taihu::memory
