// SPDX-License-Identifier: Apache-2.0
// Paths as the dynamic loader reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taihu::memory {

/// The parts of a list such as "/a:/b"; any character of `separators` ends one. An empty part is the working
/// directory; an empty list has no parts.
std::vector<std::string> split_folders(std::string_view list, std::string_view separators);

/// `path` without symbolic links; as it is when there is no such file.
std::string real_path(const std::string& path);

std::string last_part(const std::string& path);

}  // namespace taihu::memory
