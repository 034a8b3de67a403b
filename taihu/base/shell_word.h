// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace taihu {

/// `word` as it is typed in a POSIX shell: in quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace taihu
