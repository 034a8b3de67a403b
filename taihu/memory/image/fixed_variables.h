// SPDX-License-Identifier: Apache-2.0
// Which libraries have their thread-local variables at fixed distances below the thread pointer, behind those
// of the program (libc/thread_variables.h), and where: those that other objects reach so, as executables
// reach libstdc++'s for std::call_once, must; those that reach their own so get it while there is room,
// because the dynamic loader has room for those of few copies.
#pragma once

#include <memory>
#include <vector>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// `objects`: the program first, then its private libraries in the order in which names are searched. Before
/// they are bound and copies made. Throws Error with the remedy where the room is too small. Does nothing in
/// a process without room: binding refuses what cannot be.
void fix_thread_variables(const std::vector<std::shared_ptr<ElfObject>>& objects);

}  // namespace taihu::memory
