// SPDX-License-Identifier: Apache-2.0
// Calls of user code below which no stack frame exists as far as unwinders can see. An exception that the
// user does not catch then ends where it is thrown, as in any program: std::terminate says what it was, and
// the report of the crash shows the call stack of the throw. Unwinding into the runtime would lose both.
#pragma once

namespace taihu::memory {

/// `call(argument)` as the outermost frame of the calling thread. Returns when it returns. Cancellation and
/// pthread_exit work in it, without destructors of the frames below.
void call_outermost(void (*call)(void*), void* argument);

}  // namespace taihu::memory
