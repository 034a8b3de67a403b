// SPDX-License-Identifier: Apache-2.0
// What CLI11 says of wrong options, in the words of our own messages.
#pragma once

#include <string>

namespace taihu {

/// The text of a CLI::ParseError as a line for users: lower case, with the value that was given and those
/// that are allowed. A text of another form is returned as it is.
std::string option_mistake(const std::string& text);

}  // namespace taihu
