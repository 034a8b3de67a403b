// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/outermost.h"

// A frame without a return address is the end of the stack for unwinders (DWARF 5, section 6.4.4). Compilers
// cannot be told to write one.
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden taihu_call_outermost
  .globl taihu_call_outermost
  .type taihu_call_outermost, @function
taihu_call_outermost:
  .cfi_startproc
  .cfi_undefined rip
  push %rbp
  mov %rsp, %rbp
  mov %rdi, %rax
  mov %rsi, %rdi
  call *%rax
  pop %rbp
  ret
  .cfi_endproc
  .size taihu_call_outermost, . - taihu_call_outermost
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .hidden taihu_call_outermost
  .globl taihu_call_outermost
  .type taihu_call_outermost, %function
taihu_call_outermost:
  .cfi_startproc
  .cfi_undefined x30
  stp x29, x30, [sp, #-16]!
  mov x29, sp
  mov x2, x0
  mov x0, x1
  blr x2
  ldp x29, x30, [sp], #16
  ret
  .cfi_endproc
  .size taihu_call_outermost, . - taihu_call_outermost
)");
#else
#error "call_outermost is written for x86-64 and AArch64"
#endif

extern "C" void taihu_call_outermost(void (*call)(void*), void* argument);

namespace taihu::memory {

void call_outermost(void (*call)(void*), void* argument) {
  taihu_call_outermost(call, argument);
}

}  // namespace taihu::memory
