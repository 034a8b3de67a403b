// SPDX-License-Identifier: Apache-2.0
// What a call of one language says in a job of the other one. Each language has its own copy of the runtime,
// so the call finds no rank of its own; the node process is told by its name.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <string_view>

namespace taihu::memory::libc {

/// Ends the process with a message naming `call` when it runs `node_program`, whose jobs are of another
/// language: `launcher` starts the programs that make this call. For threads that belong to no rank.
inline void refuse_in_other_job(const char* call, std::string_view node_program, const char* launcher) {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return;
  std::string_view name(path, static_cast<std::size_t>(length));
  name.remove_prefix(name.rfind('/') + 1);
  // The form with the heap of the C library has a longer name.
  if (name.substr(0, node_program.size()) != node_program) return;
  static std::mutex telling;  // all ranks come here at the same time: one tells, none goes on
  telling.lock();
  std::fprintf(stderr, "taihu: %s was called in a job that another command has started; start it with %s\n",
               call, launcher);
  ::_exit(1);
}

}  // namespace taihu::memory::libc
