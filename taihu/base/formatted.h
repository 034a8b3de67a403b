// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace taihu {

/// The text that printf would write, of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace taihu
