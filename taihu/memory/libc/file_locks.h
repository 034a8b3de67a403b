// SPDX-License-Identifier: Apache-2.0
// Record locks of a rank.
#pragma once

#include <fcntl.h>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {

/// As fcntl(2) with F_GETLK, F_SETLK or F_SETLKW on the process's descriptor `fd`, the rank being the owner.
int lock_file(int fd, int command, flock* wanted);

/// To be called before the rank closes the process's descriptor `fd`: drops its locks of the file.
void drop_locks(RankProcess& rank, int fd);

/// At the rank's end: drops all of its locks, also where another rank's child has inherited their open files.
void drop_all_locks(RankProcess& rank);

/// In a child: it inherits no locks, and the rank keeps them.
void close_lock_holders(const RankProcess& rank);

}  // namespace taihu::memory::libc
