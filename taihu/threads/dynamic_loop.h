// SPDX-License-Identifier: Apache-2.0
// Dynamic self-scheduling of loops among the members of an array, without a barrier at either end.
//
// All members execute the same sequence of dynamic loops, each at its own pace. Loop k uses slot k mod 8 of a
// ring. The member that is the last to find a loop exhausted hands its slot on to loop k+8, so a member waits
// only when it is eight loops ahead of another one. Chunks are guided: a share of what remains, at least one
// iteration.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "taihu/threads/waiting.h"

namespace taihu::threads {

/// Iterations [first, last).
struct Chunk {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

class DynamicLoops;

/// A member's part in one loop. Must be asked until `next` is false.
class DynamicLoop {
 public:
  /// Takes the next chunk for the caller; false when none is left, and then the loop must not be asked again.
  /// Never blocks. Each iteration is handed to exactly one member.
  bool next(Chunk* chunk) noexcept;

 private:
  friend class DynamicLoops;
  DynamicLoop(DynamicLoops* loops, std::uint64_t number, std::uint64_t iterations) noexcept
      : loops_(loops), number_(number), iterations_(iterations) {}

  DynamicLoops* loops_;
  std::uint64_t number_;
  std::uint64_t iterations_;
};

/// The loops of one array.
class DynamicLoops {
 public:
  explicit DynamicLoops(int members);

  /// Begins the caller's next loop; `iterations` is the same for all members. Waits only when the caller is
  /// eight loops ahead of another member.
  DynamicLoop begin(int member, std::uint64_t iterations);

  /// Forgets loops that not all members executed, so that a wrong kernel does not disturb the next one.
  /// Called when no member executes a loop and none can begin one.
  void restart() noexcept;

  static constexpr std::uint64_t ring_size = 8;

 private:
  friend class DynamicLoop;

  // `taken` and `ended` are zero when `number` is published (release), so nobody has to set a loop up.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> number{0};  // the loop that the slot serves
    std::atomic<std::uint64_t> taken{0};   // iterations handed out
    std::atomic<int> ended{0};             // members that found the loop exhausted
  };
  struct alignas(64) Position {
    std::uint64_t next_loop = 0;  // of one member; only that member uses it while a kernel runs
  };

  const int members_;
  std::unique_ptr<Position[]> positions_;
  Slot slots_[ring_size];
  std::atomic<bool> used_{false};  // since the last restart
  Doorbell slot_free_;
};

}  // namespace taihu::threads
