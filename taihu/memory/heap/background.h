// SPDX-License-Identifier: Apache-2.0
// A thread that gives free memory back after the decay time, whatever the program does meanwhile. It is
// there only while there is much to give back, and ends by itself.
#pragma once

namespace taihu::memory::heap::background {

/// From now on wake() may start the thread. Once, before main.
void allow();
/// Starts the thread if it is not running. Not with a lock of the heap held. Leaves errno alone.
void wake();
void after_fork_in_child();

}  // namespace taihu::memory::heap::background
