// SPDX-License-Identifier: Apache-2.0
// Copies of main memory that stay in the scratchpad of an accelerator thread after the loop or kernel that
// fetched them, until what they are copies of is written or their room is needed. Whether it was written says
// a counter in the program, to which the compiler's code adds after each write (compiler/kept_variables.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "taihu/memory/scratchpad.h"

namespace taihu::parallelc {

/// The counter's present value, read before what it counts. The first reader gives it a value that no other
/// counter of the process ever has: another file's may come to lie in its place later.
std::uint64_t present_version(std::uint64_t* version) noexcept;

/// Of one accelerator thread, used by it alone.
class KeptCopies {
 public:
  /// Beginnings keep their address modulo it.
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t most_copies = 16;

  explicit KeptCopies(memory::ScratchpadArena& arena) : arena_(arena) {}

  /// Whether there may be a copy with this counter, which is not looked at.
  bool knows(const std::uint64_t* version) const noexcept {
    return std::ranges::find(copies_, version, &Copy::version) != copies_.end();
  }

  /// Where the copy of [memory, memory + bytes) lies that was fetched when the counter was as now; it is in
  /// use until it is released. Null when there is none.
  char* find(const char* memory, std::size_t bytes, std::uint64_t* version);

  /// Room for a copy that the caller fetches now, in use until it is released. Null when it does not fit.
  char* make(const char* memory, std::size_t bytes, std::uint64_t* version);

  /// The copy at `place`, which find or make has given, is not in use any more. False: it is none.
  bool release(const char* place);

  /// Room that is free when all copies that are not in use have made way for it: as the arena's functions.
  void* allocate(std::size_t bytes);
  /// Lets copies make way until the largest free block has `bytes`, or none is left that is not in use.
  void make_room(std::size_t bytes);
  std::size_t available_bytes();

 private:
  struct Copy {
    const char* memory;
    std::size_t bytes;
    std::uint64_t* version;
    std::uint64_t value;  ///< of the counter before it was fetched
    void* block;          ///< of the arena
    char* begin;          ///< where `memory` lies
    int uses;
  };
  /// The one not in use whose last use was first. False: there is none.
  bool drop_oldest();
  void drop(std::size_t number);

  memory::ScratchpadArena& arena_;
  std::vector<Copy> copies_;  ///< those used last at the end
};

}  // namespace taihu::parallelc
