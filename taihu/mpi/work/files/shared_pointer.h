// SPDX-License-Identifier: Apache-2.0
// Shared file pointers. That of a file is a number in the memory of the file's rank 0: ranks of the same node
// process use it there, the others by a service call, which needs no help of any rank's program. Values are
// counts of etypes of the view.
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/message/endpoint.h"

namespace taihu::mpi::files {

/// Registers the service on a node process. May be done again, and while ranks run: it has no state, and
/// calls that come before it wait.
void serve_shared_pointers(message::Node& node);

/// The shared pointer of one file as a rank sees it. Calls wait for the owner's answer; any thread.
class SharedPointer {
 public:
  using Home = std::atomic<std::int64_t>;

  /// `home` lies in the memory of node process `owner`, where it outlives the use of the file.
  SharedPointer(message::Node& node, int owner, Home* home) : node_(&node), owner_(owner), home_(home) {}

  /// Adds, and returns the value before.
  std::int64_t fetch_add(std::int64_t etypes) { return act(Action::add, etypes); }
  std::int64_t get() { return act(Action::add, 0); }
  void set(std::int64_t etypes) { act(Action::set, etypes); }

  enum class Action : std::int64_t { add, set };

 private:
  std::int64_t act(Action action, std::int64_t value);

  message::Node* node_;
  int owner_;
  Home* home_;
};

}  // namespace taihu::mpi::files
