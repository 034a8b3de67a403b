// SPDX-License-Identifier: Apache-2.0
// Settings of naalloc from environment variables NAALLOC_*; they are listed in docs/reference/naalloc.md.
#pragma once

#include <string>
#include <vector>

#include "taihu/memory/naalloc/allocator.h"

namespace taihu::memory {

struct EnvironmentSettings {
  NaallocSettings settings;
  std::string log;                    ///< "stderr", a file, or "" for none
  std::vector<std::string> problems;  ///< one line for each variable that is unknown or has a wrong value
};

/// Reads variables from a list "NAME=value", which ends with null. A wrong value counts as unset.
EnvironmentSettings read_settings(char** environment);

}  // namespace taihu::memory
