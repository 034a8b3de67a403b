// SPDX-License-Identifier: Apache-2.0
// The memory that a rank has attached to a window made by MPI_Win_create_dynamic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace taihu::mpi::windows {

/// Changed by the rank that owns it, read by any thread.
class AttachedMemory {
 public:
  /// False when a part of it is attached already. Empty pieces are remembered too, so that they can be
  /// detached.
  bool attach(const void* base, std::size_t bytes);
  /// False when nothing is attached at `base`.
  bool detach(const void* base);
  /// Whether every byte is attached; neighbouring pieces count as one.
  bool covers(std::uintptr_t address, std::size_t bytes) const;

 private:
  mutable std::shared_mutex lock_;
  std::map<std::uintptr_t, std::size_t> pieces_;  // by base, not empty; they do not overlap
  std::multimap<std::uintptr_t, std::size_t> empty_pieces_;
};

}  // namespace taihu::mpi::windows
