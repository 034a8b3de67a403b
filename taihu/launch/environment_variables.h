// SPDX-License-Identifier: Apache-2.0
// Every environment variable that a program or library of Taihu reads, in one table. `taihu-info --settings`
// and docs/reference/environment.md show its texts, and misspelled names are compared with its names. A check
// of the source tree looks for variables that are read and not named here (tools/environment_page.py).
#pragma once

#include <span>
#include <string_view>

namespace taihu::launch {

enum class SetBy {
  user,      ///< read as the user sets it
  launcher,  ///< parcrun, marun or narun set it for the processes that they start
};

struct EnvironmentVariable {
  std::string_view name;
  SetBy set_by;
  std::string_view read_by;    ///< programs or libraries
  std::string_view values;     ///< its allowed values
  std::string_view otherwise;  ///< its value when it is not set or empty
  std::string_view meaning;
};

/// All of them, those of one reader together.
std::span<const EnvironmentVariable> environment_variables();

}  // namespace taihu::launch
