// SPDX-License-Identifier: Apache-2.0
// How set-up code fails: it throws an Error whose text is one line a user can act on. Hot paths return status
// codes instead; nothing throws through a C interface, a thread or a kernel.
#pragma once

#include <stdexcept>
#include <string>

namespace taihu {

/// A failure with its cause. The text is lower case, without a full stop: "problem (why it is one); what to
/// do".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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

/// Ends the program with the place when a contract between parts of the project is broken.
[[noreturn]] void contract_broken(const char* expression, const char* file, int line) noexcept;

}  // namespace taihu

/// A contract of our own code; checked unless NDEBUG is set.
#ifdef NDEBUG
#define TAIHU_EXPECT(condition) ((void)0)
#else
#define TAIHU_EXPECT(condition) \
  ((condition) ? (void)0 : ::taihu::contract_broken(#condition, __FILE__, __LINE__))
#endif
