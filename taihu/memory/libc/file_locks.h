// SPDX-License-Identifier: Apache-2.0
// Record locks of a rank.
#pragma once

#include <fcntl.h>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {

/// As fcntl(2) with F_GETLK, F_SETLK or F_SETLKW on the process's descriptor `fd`, the rank being the owner.
int lock_file(int fd, int command, flock* wanted);

/// Before the rank closes the process's descriptor `fd`: its locks of the file go.
void drop_locks(RankProcess& rank, int fd);

/// At the rank's end: all of its locks go, also where another rank's child has inherited their open files.
void drop_all_locks(RankProcess& rank);

/// In a child, which inherits no locks, while the rank keeps them.
void close_lock_holders(const RankProcess& rank);

}  // namespace taihu::memory::libc
