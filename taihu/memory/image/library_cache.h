// SPDX-License-Identifier: Apache-2.0
// The list of the system's libraries that ldconfig makes and the dynamic loader looks into.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::memory {

/// Bytes of /etc/ld.so.cache as they are now; empty when there is none.
std::string library_cache();

/// The file of library `name`, of this architecture, in the bytes of a cache. `variants`: the sub-folders for
/// better processors ("glibc-hwcaps/x86-64-v3/") that this one can use, best first; a library that is in one
/// of them is taken before the common one. Nothing when the name is not there.
std::optional<std::string> find_in_cache(std::string_view cache, const std::string& name,
                                         const std::vector<std::string>& variants);

}  // namespace taihu::memory
