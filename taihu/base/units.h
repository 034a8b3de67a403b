// SPDX-License-Identifier: Apache-2.0
// Sizes as people write them: "64K", "2M", "1G" are powers of two.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taihu {

/// Bytes of a size such as "4096", "64K", "2MiB", "1g". Throws Error naming `what` when `text` is not one.
std::int64_t parse_bytes(std::string_view text, std::string_view what);

/// "64 KiB", "1.5 MiB": for people, at most one decimal.
std::string format_bytes(std::int64_t bytes);

}  // namespace taihu
