// SPDX-License-Identifier: Apache-2.0
// Where the files of needed libraries are, by the rules of the GNU dynamic loader (manual page ld.so(8)):
//   1. DT_RPATH of the object that needs it, of the one that loaded that object, and so on up to the program;
//      not when the object itself has a DT_RUNPATH, which also takes the place of its own DT_RPATH,
//   2. LD_LIBRARY_PATH,
//   3. DT_RUNPATH of the object alone,
//   4. the cache of ldconfig, then the folders of the system; not for objects linked with -z nodefaultlib.
// $ORIGIN, $LIB and $PLATFORM stand for what they mean to the object in which they are written. In each
// folder, variants for better processors (glibc-hwcaps) come first, and files for other processors are passed
// over.
#pragma once

#include <optional>
#include <string>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// The file of library `name` as needed or opened by `user`; nothing when there is none.
std::optional<std::string> find_library(const std::string& name, const ElfObject& user);

}  // namespace taihu::memory
