// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>

namespace taihu {

/// Bytes of an ordinary page: 4 KiB to 64 KiB, so nothing may assume a value. Also in signal handlers.
inline std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace taihu
