// SPDX-License-Identifier: Apache-2.0
// Hints of windows (MPI-3.1 sections 11.2.1 and 11.2.3). All are accepted and told by MPI_Win_get_info; only
// alloc_shared_noncontig changes anything, since the others promise less than is used here.
#pragma once

#include <map>
#include <string>

#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi::windows {

using WindowHints = std::map<std::string, std::string>;

/// Every hint that has a meaning for windows, with the value in force unless the program says otherwise.
inline WindowHints default_window_hints() {
  return {{"accumulate_ops", "same_op_no_op"}, {"accumulate_ordering", "rar,raw,war,waw"},
          {"alloc_shared_noncontig", "false"}, {"no_locks", "false"},
          {"same_disp_unit", "false"},         {"same_size", "false"}};
}

/// Whether every rank's part of shared memory may lie on pages of its own.
inline bool parts_are_apart(const WindowHints& hints) {
  return hints.at("alloc_shared_noncontig") == "true";
}

/// Takes over what the program says about known hints.
inline void update_window_hints(WindowHints& hints, const Info::Entries& entries) {
  for (const auto& [key, value] : entries) {
    const auto hint = hints.find(key);
    if (hint != hints.end()) hint->second = value;
  }
}

}  // namespace taihu::mpi::windows
