// SPDX-License-Identifier: Apache-2.0
// The switch from one context of execution to another on the same thread of the operating system: the
// registers that a function must keep, the stack, and the thread pointer, under which a thread's own
// variables lie (thread-local storage, errno, the caches of allocators, exceptions in flight). A context so
// stays the same thread for everything but the operating system, wherever it runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taihu::threads {

/// Whether contexts can be switched here: on aarch64, and on x86-64 where the system lets programs set the
/// thread pointer (Linux 5.9), in a process without shadow stacks.
bool can_switch_contexts() noexcept;

/// The calling thread's, for switch_context.
std::uintptr_t thread_pointer() noexcept;

/// Saves the caller where `*saved` then points and goes on where `stack` was saved, with the thread pointer
/// given. Returns when somebody switches to `*saved`.
void switch_context(void** saved, void* stack, std::uintptr_t thread) noexcept;

/// A stack to switch to, of `bytes` bytes from `memory` on: calls entry(argument), which must not return.
void* prepare_stack(void* memory, std::size_t bytes, void (*entry)(void*), void* argument) noexcept;

/// A system call that leaves errno alone: the thread pointer may be that of a context which runs elsewhere.
long raw_system_call(long number, std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d,
                     std::uintptr_t e, std::uintptr_t f) noexcept;

}  // namespace taihu::threads
