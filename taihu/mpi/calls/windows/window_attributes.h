// SPDX-License-Identifier: Apache-2.0
// The attributes that MPI itself attaches to windows (MPI-3.1 section 11.2.6).
#pragma once

#include "taihu/mpi/work/windows/window.h"

namespace taihu::mpi::windows {

/// What a C program gets for a predefined key: the base itself, of the others the address of the value; false
/// for other keys.
bool predefined_attribute(const Window& window, int keyval, const void** value) noexcept;

}  // namespace taihu::mpi::windows
