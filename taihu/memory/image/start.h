// SPDX-License-Identifier: Apache-2.0
// Finding `main` of a program without symbols: its entry code is run up to the call of __libc_start_main,
// which gets the address of main.
#pragma once

#include <cstdint>

namespace taihu::memory {

/// Address of main of the copy whose entry code is at `entry`, whose __libc_start_main is bound to
/// `caught_start`.
std::uintptr_t find_main_by_start(std::uintptr_t entry);

/// What code of ranks gets for __libc_start_main.
void* caught_start();

}  // namespace taihu::memory
