// SPDX-License-Identifier: Apache-2.0
// Time for measuring and for waits.
#pragma once

#include <cstdint>

namespace taihu {

/// Monotonic time in nanoseconds since an arbitrary start, the same for all threads and processes of a
/// machine.
std::int64_t now_ns() noexcept;

}  // namespace taihu
