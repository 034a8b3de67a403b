// SPDX-License-Identifier: Apache-2.0
// What the members of a window tell each other while it is made. All members of the communicator call each
// function, in the same order.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/error.h"
#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi::windows {

inline void require_collective(int code) {
  require(code == M_SUCCESS, MPI_ERR_INTERN, "the ranks of the window have not all made the same call");
}

/// The `mine` of every member.
template <class T>
std::vector<T> from_all(Communicator& communicator, const T& mine)
  requires std::is_trivially_copyable_v<T>
{
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  require_collective(collective::allgather(communicator.collectives(), &mine, all.data(), sizeof(T)));
  return all;
}

/// The `mine` of member `root`.
template <class T>
T from_member(Communicator& communicator, int root, T mine)
  requires std::is_trivially_copyable_v<T>
{
  require_collective(collective::bcast(communicator.collectives(), &mine, sizeof(T), root));
  return mine;
}

/// Fails at all members when `condition` is false at one of them.
inline void require_everywhere(Communicator& communicator, bool condition, int code,
                               const std::string& text) {
  for (const bool theirs : from_all(communicator, static_cast<char>(condition)))
    require(theirs, code, [&] { return text; });
}

}  // namespace taihu::mpi::windows
