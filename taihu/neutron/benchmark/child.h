// SPDX-License-Identifier: Apache-2.0
// This program run again as a child, to measure it under another heap or with other options.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace taihu::neutron {

struct ChildResult {
  int code = 0;  ///< exit code; 128 + the signal that ended it
  std::string output, errors;
  double peak_mib = 0;
};

/// Runs `words` with the variables of `environment` set and waits. Throws Error when it cannot be started.
ChildResult run_child(const std::vector<std::string>& words,
                      const std::vector<std::pair<std::string, std::string>>& environment);

/// The number after `name` at the beginning of a line of `text`. Throws Error when there is none.
double number_after(const std::string& text, const std::string& name);

}  // namespace taihu::neutron
