// SPDX-License-Identifier: Apache-2.0
// With more ranks than cores: on which core a rank waits, and whether the rank it waits for is there too. Two
// ranks of one core that answer each other need a switch of threads for every message, ten times as long as
// the way to another core, and the system leaves them there as long as each of them sleeps or yields often.
#pragma once

#include <atomic>
#include <cstdint>

namespace taihu::message {

/// One per rank. Several waiting threads of a rank make it a worse guess, no more.
class Placement {
 public:
  /// The calling thread waits for a message of `partner`: whether that was on this core when it last waited.
  bool shares_core_with(const Placement& partner) noexcept;

  /// The calling thread shares its core with a partner, and is the one of both that should go: moves it to
  /// another core that it may use when this has been so for many waits, at most once in ten milliseconds. The
  /// system may move it at any time, as before. Guarded by the rank's lock.
  void leave_core() noexcept;

 private:
  std::atomic<int> core_{-1};
  int shared_waits_ = 0;
  std::int64_t next_move_ns_ = 0;
};

}  // namespace taihu::message
