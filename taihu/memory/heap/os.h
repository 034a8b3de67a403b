// SPDX-License-Identifier: Apache-2.0
// All contact of the heap with the system. Nothing here allocates; errno is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace taihu::memory::heap::os {

/// Readable and writable zero pages, at `hint` if that place is free; null when the system gives none.
void* map(std::size_t bytes, void* hint);
void unmap(void* memory, std::size_t bytes);
/// Gives the pages back; they read as zeros from now on.
bool discard(void* memory, std::size_t bytes);
/// Asks for huge pages where the system leaves that to programs.
void use_huge_pages(void* memory, std::size_t bytes);
std::size_t page_bytes();
/// Lets nobody touch the pages; false when the system refuses.
bool forbid(void* memory, std::size_t bytes);
void permit(void* memory, std::size_t bytes);
/// Moves the pages of `bytes` bytes to another place in the heap; the old place reads as zeros then. False:
/// nothing moved.
bool move_pages(void* from, void* to, std::size_t bytes);
/// Makes pages present now.
void populate(void* memory, std::size_t bytes);

std::size_t physical_bytes();
/// RLIMIT_AS, or SIZE_MAX.
std::size_t address_space_limit();
/// NUMA nodes that this machine can have, at least 1.
unsigned node_count();
/// Another one in every process; not zero. Costs no system call.
std::uint64_t random_number();
/// NUMA node of the calling thread.
unsigned current_node();
/// A clock of a few milliseconds' resolution that costs no system call.
std::uint32_t milliseconds();

/// Sleeps while *word is `value`; wakes one sleeper.
void wait(std::atomic<std::uint32_t>& word, std::uint32_t value);
void wake_one(std::atomic<std::uint32_t>& word);
/// Sleeps while *word is the id of a thread, which the system sets to 0 at its end.
void wait_for_end(std::atomic<std::uint32_t>& word, std::uint32_t thread);
void pause(std::uint32_t milliseconds);

/// Writes a line to standard error and aborts. For corrupted heaps and refused memory only.
[[noreturn]] void fail(const char* text, const void* address);

}  // namespace taihu::memory::heap::os
