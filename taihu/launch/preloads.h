// SPDX-License-Identifier: Apache-2.0
// What comes before the C library in a node process, or before the MPI library in ranks: what LD_PRELOAD
// names, and the malloc of a program.
#pragma once

#include <string>

namespace taihu::launch {

/// The libraries of LD_PRELOAD, in two lists as it is written itself.
struct Preloads {
  std::string tools;   ///< with calls of MPI, full paths: ranks load them, each its own copy
  std::string others;  ///< for the node process
};

/// Finds names without a folder in `library_path` (LD_LIBRARY_PATH) only; what is no library is for the node
/// process, whose loader complains about it.
Preloads split_preloads(const std::string& list, const std::string& library_path);

/// The library with a malloc that `program` is linked to, if there is one (tcmalloc, jemalloc and the like):
/// in a process of its own it would come before the C library's. Else "".
std::string linked_malloc(const std::string& program);

}  // namespace taihu::launch
