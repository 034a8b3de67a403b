// SPDX-License-Identifier: Apache-2.0
// Files that programs read whole.
#pragma once

#include <string>

namespace taihu {

/// All bytes of a file, pipe or device. Throws Error "cannot read NAME (why)", also for a folder and when
/// reading fails on the way; `what` stands before the name, such as "the network file".
std::string read_file(const std::string& name, const std::string& what = {});

}  // namespace taihu
