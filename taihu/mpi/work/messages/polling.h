// SPDX-License-Identifier: Apache-2.0
// Calls that look and never wait (MPI_Test, MPI_Iprobe and their families). A program may wait by calling
// them again and again: what it waits for may need this rank's progress, or its core.
#pragma once

#include <sched.h>

#include <cstdint>

#include "taihu/mpi/objects/rank.h"
#include "taihu/threads/waiting.h"

namespace taihu::mpi::messages {

/// The call has found nothing: makes progress of all kinds and, as often as a waiting thread would stop
/// spinning, gives other threads the core. With more ranks than cores that is every time, since the peer
/// otherwise gets the core only when this rank's time slice ends.
inline void found_nothing(Rank& rank) {
  static thread_local std::uint32_t looks = 0;
  rank.endpoint().progress();
  if (++looks <= static_cast<std::uint32_t>(threads::wait_policy().spins)) return;
  looks = 0;
  sched_yield();
}

}  // namespace taihu::mpi::messages
