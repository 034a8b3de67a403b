// SPDX-License-Identifier: Apache-2.0
// Tells when a function of a library has returned, whatever its arguments are: calls from one loaded object
// into another go through a table of addresses, and the entries of this function are replaced by code
// that calls the function and then us. Calls inside of one object that do not use the table are not seen.
#pragma once

#include <string>

namespace taihu::memory {

/// Whether this processor is supported (x86-64).
bool can_hook_functions() noexcept;

/// Replaces the entries for `name` in all objects that are loaded now; call again when more were loaded.
/// `returned` is called on the thread that called the function, after each of its returns. One name for the
/// whole process. The function may have up to 32 words of arguments on the stack. Returns the number of
/// entries replaced by this call.
int hook_function(const std::string& name, void (*returned)());

}  // namespace taihu::memory
