// SPDX-License-Identifier: Apache-2.0
// For start objects: the interpreter, which makes a shared object executable.
#ifndef TAIHU_COMPILER_INTERPRETER_H
#define TAIHU_COMPILER_INTERPRETER_H

#if defined(__x86_64__)
#define TAIHU_INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define TAIHU_INTERPRETER "/lib/ld-linux-aarch64.so.1"
#else
#error "the path of this architecture's dynamic loader is not known"
#endif

__attribute__((section(".interp"), used)) static const char taihu_interpreter[] = TAIHU_INTERPRETER;

#endif
