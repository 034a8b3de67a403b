// SPDX-License-Identifier: Apache-2.0
// What can be chosen, by the names of the command line: amgsolve, the C interface and the Python module take
// the same names and values.
#pragma once

#include <string>
#include <vector>

#include "taihu/amg/options/options.h"

namespace taihu::amg {

/// Everything that a user chooses about a solver.
struct SolverOptions {
  HierarchyOptions hierarchy;
  SolveOptions solve;
};

/// One option: its name, the values that it takes ("a|b" or a letter for a number) and what it is about.
struct OptionName {
  std::string name, values, help;
};

/// All options, with their defaults in the help.
std::vector<OptionName> option_names();

/// Sets the option with this name. Throws UsageError, and changes nothing, for a name or a value that there
/// is not.
void set_option(SolverOptions& options, const std::string& name, const std::string& value);

/// The value of an option as set_option() takes it. Throws UsageError for a name that there is not.
std::string option_value(const SolverOptions& options, const std::string& name);

}  // namespace taihu::amg
