// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/context_switch.h"

#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#if defined(__x86_64__)

// Saved on the stack, from the top: return address, rbp, rbx, r12 to r15, control words of both float units.
extern "C" void taihu_switch_context(void** saved, void* stack, std::uintptr_t thread) noexcept;
extern "C" void taihu_context_entry() noexcept;
__asm__(R"(
.text
.p2align 4
.hidden taihu_switch_context
.globl taihu_switch_context
.type taihu_switch_context, @function
taihu_switch_context:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  wrfsbase %rdx
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size taihu_switch_context, . - taihu_switch_context

.p2align 4
.hidden taihu_context_entry
.globl taihu_context_entry
.type taihu_context_entry, @function
taihu_context_entry:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq *%r13
  ud2
  .cfi_endproc
.size taihu_context_entry, . - taihu_context_entry
)");

#elif defined(__aarch64__)

// Saved on the stack, from the bottom: x19 to x28, frame pointer and return address, d8 to d15, fpcr.
extern "C" void taihu_switch_context(void** saved, void* stack, std::uintptr_t thread) noexcept;
extern "C" void taihu_context_entry() noexcept;
__asm__(R"(
.text
.p2align 4
.hidden taihu_switch_context
.globl taihu_switch_context
.type taihu_switch_context, %function
taihu_switch_context:
  sub sp, sp, #176
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x9, fpcr
  str x9, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  msr tpidr_el0, x2
  ldr x9, [sp, #160]
  msr fpcr, x9
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #176
  ret
.size taihu_switch_context, . - taihu_switch_context

.p2align 4
.hidden taihu_context_entry
.globl taihu_context_entry
.type taihu_context_entry, %function
taihu_context_entry:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x19
  blr x20
  brk #1
  .cfi_endproc
.size taihu_context_entry, . - taihu_context_entry
)");

#endif

namespace taihu::threads {

#if defined(__x86_64__) || defined(__aarch64__)

void switch_context(void** saved, void* stack, std::uintptr_t thread) noexcept {
  taihu_switch_context(saved, stack, thread);
}

#endif

#if defined(__x86_64__)

namespace {

constexpr unsigned long may_set_thread_pointer = 2;  // HWCAP2_FSGSBASE

// A second stack of return addresses, kept by the processor, would have to be switched as well.
bool has_shadow_stacks() noexcept {
  constexpr int get_status = 0x5005;  // ARCH_SHSTK_STATUS
  unsigned long enabled = 0;
  return syscall(SYS_arch_prctl, get_status, &enabled) == 0 && enabled != 0;
}

}  // namespace

bool can_switch_contexts() noexcept {
  static const bool can = (getauxval(AT_HWCAP2) & may_set_thread_pointer) != 0 && !has_shadow_stacks();
  return can;
}

std::uintptr_t thread_pointer() noexcept {
  std::uintptr_t pointer;
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

void* prepare_stack(void* memory, std::size_t bytes, void (*entry)(void*), void* argument) noexcept {
  enum { control_words, r15, r14, r13, r12, rbx, rbp, return_address, words };
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / 16 * 16;
  // A function begins with the stack 8 off a multiple of 16; the entry is jumped to, and calls.
  auto* const frame = reinterpret_cast<std::uintptr_t*>(top) - words - 2;
  for (int k = 0; k < words; ++k) frame[k] = 0;
  constexpr std::uintptr_t default_control_words = std::uintptr_t{0x037f} << 32 | 0x1f80;
  frame[control_words] = default_control_words;
  frame[r13] = reinterpret_cast<std::uintptr_t>(entry);
  frame[r12] = reinterpret_cast<std::uintptr_t>(argument);
  frame[return_address] = reinterpret_cast<std::uintptr_t>(&taihu_context_entry);
  return frame;
}

long raw_system_call(long number, std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d,
                     std::uintptr_t e, std::uintptr_t f) noexcept {
  long result;
  register std::uintptr_t r10 __asm__("r10") = d;
  register std::uintptr_t r8 __asm__("r8") = e;
  register std::uintptr_t r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

bool can_switch_contexts() noexcept {
  constexpr int get_status = 74;  // PR_GET_SHADOW_STACK_STATUS
  unsigned long enabled = 0;
  static const bool can = !(prctl(get_status, &enabled, 0, 0, 0) == 0 && enabled != 0);
  return can;
}

std::uintptr_t thread_pointer() noexcept {
  std::uintptr_t pointer;
  __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
  return pointer;
}

void* prepare_stack(void* memory, std::size_t bytes, void (*entry)(void*), void* argument) noexcept {
  enum { x19, x20, return_address = 11, fpcr = 20, words = 22 };
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / 16 * 16;
  auto* const frame = reinterpret_cast<std::uintptr_t*>(top) - words;
  for (int k = 0; k < words; ++k) frame[k] = 0;
  frame[x19] = reinterpret_cast<std::uintptr_t>(argument);
  frame[x20] = reinterpret_cast<std::uintptr_t>(entry);
  frame[return_address] = reinterpret_cast<std::uintptr_t>(&taihu_context_entry);
  return frame;
}

long raw_system_call(long number, std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d,
                     std::uintptr_t e, std::uintptr_t f) noexcept {
  register std::uintptr_t x0 __asm__("x0") = a;
  register std::uintptr_t x1 __asm__("x1") = b;
  register std::uintptr_t x2 __asm__("x2") = c;
  register std::uintptr_t x3 __asm__("x3") = d;
  register std::uintptr_t x4 __asm__("x4") = e;
  register std::uintptr_t x5 __asm__("x5") = f;
  register long x8 __asm__("x8") = number;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return static_cast<long>(x0);
}

#else

bool can_switch_contexts() noexcept {
  return false;
}
std::uintptr_t thread_pointer() noexcept {
  return 0;
}
void switch_context(void**, void*, std::uintptr_t) noexcept {
  std::abort();
}
void* prepare_stack(void*, std::size_t, void (*)(void*), void*) noexcept {
  return nullptr;
}
long raw_system_call(long number, std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d,
                     std::uintptr_t e, std::uintptr_t f) noexcept {
  return syscall(number, a, b, c, d, e, f);
}

#endif

}  // namespace taihu::threads
