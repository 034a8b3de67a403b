// SPDX-License-Identifier: Apache-2.0
// How set-up code fails: it throws an Error whose text is one line a user can act on. Hot paths return status
// codes instead; nothing throws through a C interface, a thread or a kernel.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "taihu/base/formatted.h"

namespace taihu {

/// A failure with its cause. The text is lower case, without a full stop: "problem (why it is one); what to
/// do". It is shown as one line; `details`, our own text of any number of lines, may follow it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& text) : std::runtime_error(one_line(text, longest)) {}
  Error(const std::string& text, const std::string& details)
      : std::runtime_error(one_line(text, longest) + "\n" + details) {}

 private:
  static constexpr std::size_t longest = 1997;  // and three dots
};

/// Wrong use of a program: bad option, impossible combination. Programs end with exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Error of a system call: `what` with the text of `error_number` (an errno value) behind it.
Error system_error(const std::string& what, int error_number);

/// Throws Error(text) when an input of the user does not hold. Always on.
inline void check_input(bool holds, const std::string& text) {
  if (!holds) throw Error(text);
}

}  // namespace taihu
