// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace taihu {

/// The text that printf would write, of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// A text of a user as part of a message: control characters as \n, \t or \x1b. Where that would have
/// more than `most` bytes, its middle is shown as "...".
std::string one_line(const std::string& text, std::size_t most = 300);

}  // namespace taihu
