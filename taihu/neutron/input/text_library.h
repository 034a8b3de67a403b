// SPDX-License-Identifier: Apache-2.0
// Multi-group libraries as JSON text; the format is at the head of text_library.cc.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/input/multigroup_library.h"

namespace taihu::neutron {

/// Reads the entries `names`, all when it is empty. Throws MissingEntry, Error.
MultigroupLibrary read_text_library(const std::string& path, const std::vector<std::string>& names);

}  // namespace taihu::neutron
