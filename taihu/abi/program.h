/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h: what a linked Parallel C program tells the runtime about itself. Every program that parcc links exports
 * one `struct taihu_program` in its dynamic symbol table under the name taihu_program. A program is an executable
 * shared object: it can be started by the kernel and be loaded many times into one process.
 */
#ifndef TAIHU_ABI_PROGRAM_H
#define TAIHU_ABI_PROGRAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Grows with every incompatible change of struct taihu_program or of parallelc_compiler.h. */
#define TAIHU_PROGRAM_VERSION 3

/** Bytes [begin, end) of the loaded image; begin == end when there are none. */
struct taihu_area {
  char *begin;
  char *end;
};

/** Set by the linker; read only. */
struct taihu_program {
  /** TAIHU_PROGRAM_VERSION of the parcc that linked the program. */
  long version;
  /** The program's main, also when it is hidden or the symbol table is stripped. */
  int (*main)(int argc, char **argv, char **environment);
  /** Variables of each kind in two areas, each starting and ending on a page of the machine's largest page size
   *  (CONSTANT(MAXPAGESIZE) of the linker), so that an area can be mapped without touching other variables. `_zero`
   *  holds the zero-initialised ones and has no bytes in the file; `_data` holds initial values without relocations:
   *  one process of the group copies its own into the shared memory before anyone's main runs. */
  struct taihu_area node_shared_zero;
  struct taihu_area node_shared_data;
  struct taihu_area bnode_shared_zero;
  struct taihu_area bnode_shared_data;
  /** The initial values of all __thread_local variables, to be copied (after relocation) to the start of each
   *  accelerator thread's scratchpad. Starts on a page; a thread's instance must start on a page, too, so that
   *  alignments hold. taihu_scratchpad_delta = instance - scratchpad.begin. At most scratchpad_capacity_bytes long. */
  struct taihu_area scratchpad;
  /** settings[0]: bytes of each thread's scratchpad, static and dynamic together (`parcc --spm`).
   *  settings[1]: 1 when run-time checks are on (`parcc --check` or -g), else 0. */
  const unsigned long long *settings;
};

/** Indices of taihu_program.settings. */
enum { TAIHU_SCRATCHPAD_CAPACITY_BYTES = 0, TAIHU_CHECKS = 1 };

#ifdef __cplusplus
}
#endif

#endif
