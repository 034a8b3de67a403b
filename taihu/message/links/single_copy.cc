// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/links/single_copy.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace taihu::message {

void permit_reading() noexcept {
  const int setting = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (setting < 0) return;
  char scope = '0';
  if (read(setting, &scope, 1) == 1 && scope == '1') (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  close(setting);
}

namespace {

using KernelCopy = decltype(process_vm_readv);

int copy_all(KernelCopy copy, pid_t process, void* here, std::uint64_t there, std::size_t bytes) noexcept {
  auto* at = static_cast<std::byte*>(here);
  while (bytes > 0) {
    const iovec mine{at, bytes};
    const iovec theirs{reinterpret_cast<void*>(static_cast<std::uintptr_t>(there)), bytes};
    const ssize_t copied = copy(process, &mine, 1, &theirs, 1, 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) return copied < 0 ? errno : EFAULT;
    at += copied;
    there += static_cast<std::uint64_t>(copied);
    bytes -= static_cast<std::size_t>(copied);
  }
  return 0;
}

}  // namespace

int read_memory(pid_t process, std::uint64_t source, void* target, std::size_t bytes) noexcept {
  return copy_all(process_vm_readv, process, target, source, bytes);
}

int write_memory(pid_t process, std::uint64_t target, const void* source, std::size_t bytes) noexcept {
  return copy_all(process_vm_writev, process, const_cast<void*>(source), target, bytes);
}

}  // namespace taihu::message
