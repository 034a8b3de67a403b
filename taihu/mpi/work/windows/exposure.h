// SPDX-License-Identifier: Apache-2.0
// What a rank offers to the others through a window: its memory, and the words and locks by which they meet.
// Ranks of the same node process use it directly; for the others the node process's handler does
// (serve_window.h), which gets its address as a number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/work/windows/attached_memory.h"
#include "taihu/mpi/work/windows/element_locks.h"
#include "taihu/mpi/work/windows/rank_lock.h"

namespace taihu::mpi::windows {

struct Exposure {
  Exposure(Rank& rank, int members)
      : owner(rank), posts(std::make_unique<std::atomic<std::uint32_t>[]>(static_cast<unsigned>(members))) {}

  Rank& owner;
  // Set before the window is known to others; base is null and size 0 in dynamic windows.
  std::byte* base = nullptr;
  MPI_Aint size_bytes = 0;
  bool is_dynamic = false;

  RankLock lock;
  ElementLocks elements;
  AttachedMemory attached;

  /// By member: how often it has posted the window to this rank (MPI_Win_post there names me).
  std::unique_ptr<std::atomic<std::uint32_t>[]> posts;
  /// How many MPI_Win_complete of others have named this rank.
  std::atomic<std::uint64_t> completions{0};

  /// Makes a count visible that the owner may wait for.
  template <class Count>
  void count(Count& counter) noexcept {
    counter.fetch_add(1, std::memory_order_release);
    owner.endpoint().doorbell().ring();
  }
};

}  // namespace taihu::mpi::windows
