// SPDX-License-Identifier: Apache-2.0
// @file arguments, with the quoting rules of GCC: white space separates, quotes keep, a backslash takes the
// next character as it is.
#pragma once

#include <string>
#include <vector>

namespace taihu::compiler {

/// The arguments with every @file replaced by the file's arguments, also inside such files. A file that
/// cannot be read stays as it is, as in GCC. Throws UsageError when files contain each other.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

/// The arguments in `text`.
std::vector<std::string> split_arguments(const std::string& text);

}  // namespace taihu::compiler
