// SPDX-License-Identifier: Apache-2.0
// Tries work that may crash the program in a child process first.
#pragma once

#include <functional>
#include <string>

namespace taihu::topology {

/// Does `work` in a child process. Throws Error with `complaint` and the reason when a signal ends the child,
/// when the child runs for more than 20 s, or when it writes to standard error, as a library does that
/// rejects its input. An exception in a silent child is ignored here: the caller meets it again when it does
/// the work itself.
void try_in_child(const std::function<void()>& work, const std::string& complaint);

}  // namespace taihu::topology
