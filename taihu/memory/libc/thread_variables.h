// SPDX-License-Identifier: Apache-2.0
// Thread-local variables that code of a rank finds at fixed distances below the thread pointer: those of a
// position-independent executable (local-exec model; U. Drepper, "ELF Handling For Thread-Local Storage",
// 2013, section 4.4.6), and those of its libraries that it uses so (initial-exec model, section 4.4.5), as
// executables use libstdc++'s for std::call_once. There the C library puts those of the process's own
// executable. So that executable, the node process's, keeps room nearest to the thread pointer, and each
// thread of a rank fills it with the values of the rank's program and libraries before any code of the rank
// runs. x86-64 only: on aarch64 the variables lie above the thread pointer, at the other end of the block.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

namespace taihu::memory {

/// Of one rank's copy of a program or library, as of each of its threads.
struct ThreadVariables {
  const void* values = nullptr;  ///< that they begin with, in the rank's copy
  std::size_t value_bytes = 0;   ///< the rest begins as zeros
  std::size_t bytes = 0;
  std::size_t distance = 0;  ///< of the first one below the thread pointer

  /// Gives the calling thread its own.
  void begin() const;
};

/// How far below the thread pointer an object with this PT_TLS segment has its first variable, where `taken`
/// bytes below the thread pointer are others': what the linker expects for an executable, where none are.
std::uint64_t thread_variable_distance(const Elf64_Phdr& segment, std::uint64_t taken = 0);

/// The calling thread's variable at `offset` from the first one, which is at `distance`.
void* thread_variable_place(std::uint64_t distance, std::uint64_t offset);

/// How the dynamic loader finds what lies at a distance below the thread pointer: in the block of a module,
/// here that of the process's own executable.
struct ThreadVariableIndex {
  std::uint64_t module, offset;
};
/// For a distance within the room.
ThreadVariableIndex thread_variable_index(std::uint64_t distance);

/// The function of a descriptor (TLSDESC) whose second word is the place relative to the thread pointer.
std::uint64_t thread_variable_getter();

/// The greatest distance for which threads of this process have room: 0 in all but node processes, on other
/// processors than x86-64, and where the linker did not put the room last. Any thread.
std::size_t thread_variable_room();

}  // namespace taihu::memory
