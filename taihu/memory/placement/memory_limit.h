// SPDX-License-Identifier: Apache-2.0
// How much memory the control groups of this process allow it (containers, batch systems). Beyond it the
// kernel ends processes instead of failing an allocation, so whoever keeps free memory has to know.
#pragma once

#include <cstddef>
#include <string>

namespace taihu::memory {

/// The least limit of the process's group and those above it, in bytes (memory.max of control groups version
/// 2, memory.limit_in_bytes of version 1); SIZE_MAX when there is none or the kernel does not say. /proc and
/// /sys are looked for below `root`.
std::size_t memory_limit(const std::string& root);

}  // namespace taihu::memory
