// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace taihu {

/// Where programs are looked for when PATH is not set: what execvp of the GNU C library takes then.
inline constexpr const char* default_search_path = "/bin:/usr/bin";

/// The file that execvp would run for `name`: with a slash the name itself, else the first one in the folders
/// of `path`, separated by colons, an empty one being the current folder. "" when there is no such file that
/// the caller may run. `path`: the value of PATH; null when it is not set.
std::string find_in_path(const std::string& name, const char* path);
/// The same with this process's PATH.
std::string find_in_path(const std::string& name);

}  // namespace taihu
