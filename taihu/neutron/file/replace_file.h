// SPDX-License-Identifier: Apache-2.0
// Files that are whole or not there: written under a temporary name and then renamed.
#pragma once

#include <functional>
#include <string>

namespace taihu::neutron {

/// Brings a finished file to the disk and gives it its final name. Throws Error.
void replace_file(const std::string& temporary, const std::string& path);

/// Lets `write` make a file under a temporary name (PATH.part), brings it to the disk and gives it its final
/// name. When something of that fails the temporary file is removed, and what had the name stays. Throws
/// Error.
void write_and_replace(const std::string& path,
                       const std::function<void(const std::string& temporary)>& write);

}  // namespace taihu::neutron
