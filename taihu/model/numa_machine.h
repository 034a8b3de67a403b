// SPDX-License-Identifier: Apache-2.0
// A shared-memory node with several memory nodes, as rates: what memories, links and cores can carry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taihu::model {

/// Rates in bytes per second. Invariants: memory, and link with its rows, have one entry for each node; all
/// rates > 0.
struct NumaMachine {
  std::string name;
  int cores_per_node = 1;
  std::vector<double> memory;  ///< what the memory of each node delivers
  std::vector<std::vector<double>>
      link;                ///< [a][b]: from the memory of node b to the cores of node a; [a][a] is not used
  double core_local = 0;   ///< what one core can read from its own node
  double core_remote = 0;  ///< from another node
  double barrier_seconds = 0;  ///< one barrier of two threads; it grows with the logarithm of their number

  int nodes() const noexcept { return static_cast<int>(memory.size()); }
};

/// Reads a machine from JSON text; `file` is named in errors. Rates are in GB/s (10^9):
///   {"name": "two sockets", "nodes": 2, "cores_per_node": 6, "memory_gb_s": 20, "link_gb_s": 10,
///    "core_local_gb_s": 9, "core_remote_gb_s": 6, "barrier_us": 1}
/// memory_gb_s may be a list with one value per node, link_gb_s a list of rows. Keys that begin with "source"
/// are notes. Throws Error naming the key that is missing, unknown or wrong.
NumaMachine parse_numa_machine(std::string_view text, const std::string& file);

/// The same from a file.
NumaMachine read_numa_machine(const std::string& file);

}  // namespace taihu::model
