// SPDX-License-Identifier: Apache-2.0
// Copies to and from the memory of another process of this machine (process_vm_readv, process_vm_writev),
// which kernels and containers may forbid.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace taihu::message {

/// Lets other processes of this user read and write this one's memory where the security module Yama would
/// forbid it to all but ancestors (kernel.yama.ptrace_scope = 1). Any thread.
void permit_reading() noexcept;

/// Copies `bytes` bytes at `source` of process `process` to `target`; 0, or the errno of the failure. Any
/// thread; blocks for the copy only.
int read_memory(pid_t process, std::uint64_t source, void* target, std::size_t bytes) noexcept;

/// Copies `bytes` bytes at `source` to `target` of process `process`; else as read_memory. After a failure
/// some may have been written.
int write_memory(pid_t process, std::uint64_t target, const void* source, std::size_t bytes) noexcept;

}  // namespace taihu::message
