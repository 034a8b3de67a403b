// SPDX-License-Identifier: Apache-2.0
// For start objects: what makes an executable of a shared object, for which linkers leave it out.
#ifndef TAIHU_COMPILER_PROGRAM_START_H
#define TAIHU_COMPILER_PROGRAM_START_H

#if defined(__x86_64__)
#define TAIHU_INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define TAIHU_INTERPRETER "/lib/ld-linux-aarch64.so.1"
#else
#error "the path of this architecture's dynamic loader is not known"
#endif

#define TAIHU_HIDDEN __attribute__((visibility("hidden")))

// Nothing refers to it: the drivers name it to the linker (-u), so that --gc-sections keeps it.
__attribute__((section(".interp"), used)) TAIHU_HIDDEN const char taihu_interpreter[] = TAIHU_INTERPRETER;

// The functions of .preinit_array, which a shared object cannot have: start.ld collects them, and they are
// the first that the program runs. Linkers that take no such script (gold) make the array themselves; then
// these addresses are null.
typedef void (*taihu_start_function)(int, char**, char**);
extern TAIHU_HIDDEN __attribute__((weak)) const taihu_start_function taihu_preinit_begin[],
    taihu_preinit_end[];

// To lld, an empty array would be a gap in the data that become read-only.
static void taihu_do_nothing(int count, char** arguments, char** environment) {
  (void)count, (void)arguments, (void)environment;
}

__attribute__((section(".preinit_array"), used)) static const taihu_start_function taihu_first_preinit =
    taihu_do_nothing;

static void taihu_run_preinit(int count, char** arguments, char** environment) {
  for (const taihu_start_function* call = taihu_preinit_begin; call != taihu_preinit_end; ++call)
    (*call)(count, arguments, environment);
}

__attribute__((section(".init_array.00000"),
               used)) static const taihu_start_function taihu_first_constructor = taihu_run_preinit;

#endif
