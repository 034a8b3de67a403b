// SPDX-License-Identifier: Apache-2.0
// Programs that prepare words and variables and then become another program: R's Rscript, and the script R.
// Ranks run that other one at once, since a rank can become no other program.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taihu/launch/launch_plan.h"

namespace taihu::launch {

struct ProgramBehind {
  std::string path;
  std::vector<std::string> arguments;                          ///< without the program's name
  std::vector<std::pair<std::string, std::string>> variables;  ///< that the program sets or changes
};

/// What `program` becomes when it is started with `arguments`; nothing unless its name is one of these.
/// Starts it for that, up to the beginning of the other one. Throws Error with its first line when it ends
/// without becoming another program.
std::optional<ProgramBehind> program_behind(const std::string& program,
                                            const std::vector<std::string>& arguments,
                                            const Surroundings& surroundings);

}  // namespace taihu::launch
