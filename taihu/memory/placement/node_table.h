// SPDX-License-Identifier: Apache-2.0
// The memory nodes of this machine as the kernel lists them: which are online, have memory, may be used by
// this process, and how far they are from each other. Read from /sys and /proc below a root that tests
// choose; no library, because a preloaded library must not pull one into every program.
#pragma once

#include <string>
#include <vector>

namespace taihu::memory {

struct MemoryNode {
  int number = 0;
  bool usable = true;     ///< has memory, and this process may take it (cpuset)
  std::vector<int> cpus;  ///< as the kernel lists them; with numa=fake every node lists every cpu
  std::vector<int>
      distances;  ///< to the nodes of the table, in its order; empty when the kernel does not say
};

/// Invariants: at least one node; numbers rise; at least one node is usable.
struct NodeTable {
  std::vector<MemoryNode> nodes;
  std::vector<std::string> notes;  ///< why nodes are not used, for the log

  /// Null when there is no such node (absent or offline).
  const MemoryNode* find(int number) const noexcept;
  /// The node that pages for a thread on node `number` go to: itself when usable, else the nearest usable one
  /// as seen from there (the first of equals). An unknown number gives the first usable node.
  int home_of(int number) const noexcept;
  /// Numbers of the usable nodes.
  std::vector<int> usable() const;
};

/// Reads ROOT/sys/devices/system/node and ROOT/proc/self/status; `root` is "" on the live machine. Where
/// there is nothing to read, the table has one node 0. Never fails: what cannot be read is in the notes.
NodeTable read_node_table(const std::string& root);

/// The numbers of a list of the kernel such as "0-3,8"; empty when it is not one.
std::vector<int> parse_number_list(const std::string& text);

}  // namespace taihu::memory
