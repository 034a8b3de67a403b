// SPDX-License-Identifier: Apache-2.0
// Signals of ranks. The process has one handler per signal; the dispatcher calls the handler of the rank
// whose thread got the signal. A signal sent to the whole process goes to every rank that handles it.
#pragma once

#include <signal.h>

#include "taihu/memory/current_rank.h"

namespace taihu::memory {

/// Called in the signal handler, before the process ends by `signal` (SIGSEGV, SIGABRT, ...) caused by a
/// thread of `rank`: may do only what a signal handler may.
using CrashReport = void (*)(const RankIdentity& rank, int signal, const siginfo_t& details);

/// Installs the dispatcher for the signals of crashes. Once, before the first rank starts.
void watch_for_crashes(CrashReport report);

namespace libc {

/// In one process at once.
inline constexpr int most_ranks = 4096;

/// Throws Error when there are more than `most_ranks`.
void add_rank(RankProcess& rank);
void remove_rank(RankProcess& rank);

/// In a child made by fork, where only the threads of `rank` are left.
void forget_other_ranks(RankProcess& rank);

/// In a child: signals that the rank ignores are ignored by the process, and so after exec.
void keep_ignored_signals(RankProcess& rank);

/// As raise(3) on a thread of a rank.
int raise_in_rank(int signal);

}  // namespace libc
}  // namespace taihu::memory
