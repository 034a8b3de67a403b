// SPDX-License-Identifier: Apache-2.0
// Room in the executable of a node process for the thread-local variables of ranks' programs
// (thread_variables.h). C and C++. The executable has `TAIHU_THREAD_VARIABLE_ROOM;` once, names
// taihu_thread_variables in its dynamic list, and is linked with -Wl,--sort-section=name, which puts the room
// behind its own thread-local variables.
#pragma once

/// Bytes. Every thread of a node process has them, in use or not. Programs of Debian's archive need at most
/// 480 (Quantum ESPRESSO), as of Debian 12.
#define TAIHU_THREAD_VARIABLE_BYTES 4096

/// 64: what the C library aligns the thread pointer to at least.
#define TAIHU_THREAD_VARIABLE_ALIGNMENT 64

#define TAIHU_THREAD_VARIABLE_ROOM                                        \
  __attribute__((visibility("default"), section(".tbss.taihu"),           \
                 aligned(TAIHU_THREAD_VARIABLE_ALIGNMENT))) __thread char \
      taihu_thread_variables[TAIHU_THREAD_VARIABLE_BYTES]
