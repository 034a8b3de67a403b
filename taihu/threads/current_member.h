// SPDX-License-Identifier: Apache-2.0
// Which accelerator thread of which array the caller is. Set by the array before it calls anything on a
// member, so a kernel and all that it calls can ask. Nobody may assume that a member is a thread of the
// operating system.
#pragma once

namespace taihu::threads {

class ThreadArray;

/// One accelerator thread. Lives as long as its array.
struct Member {
  int index = 0;  ///< 0 .. size-1
  int size = 0;   ///< members of the array
  ThreadArray* array = nullptr;
  bool in_kernel = false;           ///< it has begun a kernel that has not returned
  void (*kernel)(void*) = nullptr;  ///< the one begun last; who calls another in its place says so here
  unsigned kernel_broadcasts = 0;   ///< of parcc --auto-dma, by that run of it
  void* scratchpad =
      nullptr;  ///< the member's scratchpad arena; owner: the language runtime (start and stop hooks)
  void* runtime = nullptr;  ///< per-member state of the language runtime; same owner
};

namespace detail {
// constinit: without it every use in another file would first call a function that could initialise the
// pointer.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local Member* current_member;
}  // namespace detail

/// The calling accelerator thread, or null in process code. One load.
inline Member* current_member() noexcept {
  return detail::current_member;
}

}  // namespace taihu::threads
