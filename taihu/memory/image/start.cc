// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/start.h"

#include <setjmp.h>

#include <cstdlib>

namespace taihu::memory {
namespace {

struct Catch {
  jmp_buf back;
  std::uintptr_t main = 0;
};
thread_local Catch* waiting = nullptr;

void catch_start(void* main) {
  if (!waiting) std::abort();
  waiting->main = reinterpret_cast<std::uintptr_t>(main);
  longjmp(waiting->back, 1);
}

// Jumps to the entry code with the stack that the kernel gives a program: argc 0, no arguments, no
// environment, and an auxiliary vector that is empty.
[[noreturn]] void enter(std::uintptr_t entry) {
#if defined(__x86_64__)
  asm volatile(
      "sub $256, %%rsp\n\t"
      "and $-16, %%rsp\n\t"
      "movq $0, 0(%%rsp)\n\t"
      "movq $0, 8(%%rsp)\n\t"
      "movq $0, 16(%%rsp)\n\t"
      "movq $0, 24(%%rsp)\n\t"
      "movq $0, 32(%%rsp)\n\t"
      "xor %%edx, %%edx\n\t"
      "jmp *%0\n\t"
      :
      : "r"(entry)
      : "rdx", "memory");
#elif defined(__aarch64__)
  asm volatile(
      "sub sp, sp, #256\n\t"
      "stp xzr, xzr, [sp]\n\t"
      "stp xzr, xzr, [sp, #16]\n\t"
      "str xzr, [sp, #32]\n\t"
      "mov x0, #0\n\t"
      "br %0\n\t"
      :
      : "r"(entry)
      : "x0", "memory");
#endif
  __builtin_unreachable();
}

}  // namespace

std::uintptr_t find_main_by_start(std::uintptr_t entry) {
  Catch caught;
  waiting = &caught;
  if (setjmp(caught.back) == 0) enter(entry);
  waiting = nullptr;
  return caught.main;
}

void* caught_start() {
  return reinterpret_cast<void*>(&catch_start);
}

}  // namespace taihu::memory
