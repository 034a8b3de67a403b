// SPDX-License-Identifier: Apache-2.0
// Work that may take the program along, tried out first.
#pragma once

#include <functional>
#include <string>

namespace taihu::topology {

/// Does `work` in a child process. Throws Error with `complaint` and the reason when the child is ended by a
/// signal, runs for more than 20 s or says something on standard error, as a library does that complains
/// about its input. An exception in a child that is silent is none here: the caller will meet it when it does
/// the work itself.
void try_in_child(const std::function<void()>& work, const std::string& complaint);

}  // namespace taihu::topology
