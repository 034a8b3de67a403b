// SPDX-License-Identifier: Apache-2.0
// Collectives that the library itself needs inside an intracommunicator.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// All members call; block; no collective of the program meets them. Throw CallError when the members' calls
/// do not fit together.
void broadcast_inside(Communicator& communicator, void* data, std::size_t bytes, int root);
void allgather_inside(Communicator& communicator, const void* mine, void* all, std::size_t bytes);
void barrier_inside(Communicator& communicator);
/// One piece for each member: where it begins behind `data`, and how long it is.
struct MemberPieces {
  const void* data;
  std::vector<long> bytes, displacements;
};
std::vector<std::byte> exchange_inside(Communicator& communicator, const MemberPieces& mine);

/// Element lists for every member; returns what the members had for the caller, in their order.
template <class T>
std::vector<T> exchange_inside(Communicator& communicator, const std::vector<std::vector<T>>& for_members) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all;
  MemberPieces parts;
  for (const std::vector<T>& part : for_members) {
    parts.displacements.push_back(static_cast<long>(all.size() * sizeof(T)));
    parts.bytes.push_back(static_cast<long>(part.size() * sizeof(T)));
    all.insert(all.end(), part.begin(), part.end());
  }
  parts.data = all.data();
  const std::vector<std::byte> received = exchange_inside(communicator, parts);
  std::vector<T> mine(received.size() / sizeof(T));
  if (!mine.empty()) std::memcpy(mine.data(), received.data(), received.size());
  return mine;
}

/// One element of each member.
template <class T>
std::vector<T> allgather_inside(Communicator& communicator, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  allgather_inside(communicator, &mine, all.data(), sizeof mine);
  return all;
}

}  // namespace taihu::mpi
