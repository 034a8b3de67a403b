// SPDX-License-Identifier: Apache-2.0
// Shared file pointers. That of a file lives in the node process of the file's rank 0 and is reached by a
// service call, which needs no help of any rank's program there. Values are counts of etypes of the view.
#pragma once

#include <cstdint>

#include "taihu/message/endpoint.h"

namespace taihu::mpi::files {

/// Registers the service on a node process, once, before ranks open files.
void serve_shared_pointers(message::Node& node);

/// The shared pointer of one file as a rank sees it. Calls wait for the owner's answer; any thread.
class SharedPointer {
 public:
  /// `file` is a number that no other file of the job has. A pointer that was never set is 0.
  SharedPointer(message::Node& node, int owner_process, std::uint64_t file)
      : node_(node), owner_(owner_process), file_(file) {}

  /// Adds, and returns the value before.
  std::int64_t fetch_add(std::int64_t etypes) { return call(Action::add, etypes); }
  std::int64_t get() { return call(Action::add, 0); }
  void set(std::int64_t etypes) { call(Action::set, etypes); }
  /// Nobody uses it any more.
  void forget() { call(Action::forget, 0); }

  enum class Action : std::int32_t { add, set, forget };

 private:
  std::int64_t call(Action action, std::int64_t value);

  message::Node& node_;
  int owner_;
  std::uint64_t file_;
};

}  // namespace taihu::mpi::files
