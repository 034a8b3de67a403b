// SPDX-License-Identifier: Apache-2.0
// Moves of the calling thread from core to core. For threads that know better than the system whom they
// should not share a core with; the system may move them again at any time.
#pragma once

#include <sched.h>

namespace taihu::threads {

/// Where the calling thread of the system runs, also when it carries a context (crew.h), whose thread-local
/// storage knows nothing of it. -1: the system does not tell.
int current_core() noexcept;

/// A core that the calling thread may use and that is not among `taken`; -1 when there is none.
int usable_core_beside(const cpu_set_t& taken) noexcept;

/// The next core that the calling thread may use behind `core`, the first one again behind the last; `core`
/// when there is no other or the system does not tell.
int usable_core_after(int core) noexcept;

/// Goes on on `core` if the calling thread may use it. Its affinity stays as it was. False: not moved. Also
/// for threads that carry contexts.
bool move_to_core(int core) noexcept;

}  // namespace taihu::threads
