// SPDX-License-Identifier: Apache-2.0
// The OpenMP runtime that the program brought, if any. It is never linked: a library that pulls in libgomp
// makes it read OMP_PROC_BIND in every process that loads the library, which pins launchers and shells, and
// their children inherit one cpu. Works with libgomp and libomp.
#pragma once

namespace taihu::memory::openmp {

/// Whether the process has a runtime and has come far enough to use it.
bool available() noexcept;

/// Threads that a parallel region would have now; 1 without OpenMP.
int max_threads() noexcept;

/// Whether the caller is inside of a parallel region.
bool in_parallel() noexcept;

/// Runs work(context, thread, threads) on each thread of a parallel region of the default size and waits for
/// them. Only when available() and not in_parallel().
void run(void (*work)(void* context, int thread, int threads), void* context);

}  // namespace taihu::memory::openmp
