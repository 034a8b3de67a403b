// SPDX-License-Identifier: Apache-2.0
// Threads that a rank starts belong to the rank.
#pragma once

#include <pthread.h>

namespace taihu::memory {

/// As pthread_create; the new thread has the caller's rank and locale. Code of ranks is bound to it
/// automatically. For threads that shared libraries start on behalf of a rank (OpenMP workers), a node
/// process exports a function `pthread_create` that calls this one; the executable's dynamic list must name
/// it, so that it comes before libc's.
int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument);

}  // namespace taihu::memory
