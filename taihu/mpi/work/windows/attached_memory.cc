// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/attached_memory.h"

#include <iterator>
#include <mutex>

namespace taihu::mpi::windows {

bool AttachedMemory::attach(const void* base, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::unique_lock hold(lock_);
  if (bytes == 0) {
    empty_pieces_.emplace(address, 0);
    return true;
  }
  const auto next = pieces_.lower_bound(address);
  if (next != pieces_.end() && next->first - address < bytes) return false;
  if (next != pieces_.begin()) {
    const auto before = std::prev(next);
    if (address - before->first < before->second) return false;
  }
  pieces_.emplace_hint(next, address, bytes);
  return true;
}

bool AttachedMemory::detach(const void* base) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  const std::unique_lock hold(lock_);
  if (pieces_.erase(address) == 1) return true;
  const auto found = empty_pieces_.find(address);
  if (found == empty_pieces_.end()) return false;
  empty_pieces_.erase(found);
  return true;
}

bool AttachedMemory::covers(std::uintptr_t address, std::size_t bytes) const {
  if (bytes == 0) return true;
  const std::shared_lock hold(lock_);
  auto piece = pieces_.upper_bound(address);
  if (piece == pieces_.begin()) return false;
  --piece;
  for (;;) {
    if (address - piece->first >= piece->second) return false;
    const std::size_t here = piece->second - (address - piece->first);
    if (here >= bytes) return true;
    address += here;
    bytes -= here;
    if (++piece == pieces_.end() || piece->first != address) return false;
  }
}

}  // namespace taihu::mpi::windows
