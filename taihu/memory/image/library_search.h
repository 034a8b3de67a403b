// SPDX-License-Identifier: Apache-2.0
// Where the files of needed libraries are, by the dynamic loader's rules: RPATH, LD_LIBRARY_PATH, RUNPATH,
// the cache of ldconfig, system directories. And which of them are the user's own, so that every rank gets a
// copy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// The file of library `name` as needed by `user`; nothing when there is none.
std::optional<std::string> find_library(const std::string& name, const ElfObject& user);

/// Whether ranks get copies of the library: it is not part of the system or of the node process, or it is one
/// of libgfortran, libquadmath, libstdc++ and `more` (names begin with an element, such as "libhdf5").
bool is_private_library(const std::string& name, const std::string& path,
                        const std::vector<std::string>& more);

}  // namespace taihu::memory
