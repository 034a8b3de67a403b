// SPDX-License-Identifier: Apache-2.0
// Failures of MPI calls. Inside the library they travel as exceptions to the call that the program made; what
// happens there is the business of the error handler (call.h). Nothing is ever thrown through the C
// interface.
#pragma once

#include <string>
#include <utility>

#include "taihu/abi/mpi.h"

namespace taihu::mpi {

/// What went wrong in a call: an error class (or a code that the program has added) and one clear line: what,
/// which value, what to do.
class CallError {
 public:
  CallError(int code, std::string text) : code_(code), text_(std::move(text)) {}
  int code() const noexcept { return code_; }
  const std::string& text() const noexcept { return text_; }

 private:
  int code_;
  std::string text_;
};

/// Apart from `require`, which is then short enough for the compiler to put into every call.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_call_error(int code, const char* text) {
  throw CallError(code, text);
}

/// Throws CallError unless `condition`. The text is only made when it is needed: give a lambda for one that
/// is put together.
inline void require(bool condition, int code, const char* text) {
  if (!condition) [[unlikely]]
    throw_call_error(code, text);
}
template <class MakeText>
void require(bool condition, int code, MakeText&& make_text)
  requires requires { std::string(make_text()); }
{
  if (!condition) [[unlikely]]
    throw CallError(code, make_text());
}

}  // namespace taihu::mpi
