/* SPDX-License-Identifier: Apache-2.0
 *
 * scratchpad_record.h: what programs built with `parcc --spm-model` count, and where. While an accelerator thread runs a
 * kernel, taihu_current_record points to its counters; code that finds null there counts nothing.
 */
#ifndef TAIHU_ABI_SCRATCHPAD_RECORD_H
#define TAIHU_ABI_SCRATCHPAD_RECORD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Grows with every incompatible change of this file. */
#define TAIHU_MODELLED_MODULE_VERSION 3

/** What an access does. An atomic operation reads and writes. */
enum { TAIHU_ACCESS_LOAD, TAIHU_ACCESS_STORE, TAIHU_ACCESS_ATOMIC, TAIHU_ACCESS_KINDS };
/** Its size: up to 8, 16, 32, 64 bytes; larger ones are several of 64. */
enum { TAIHU_ACCESS_SIZES = 4 };
/** Where the address lies: the thread's scratchpad, its stack, or main memory. */
enum { TAIHU_PLACE_SCRATCHPAD, TAIHU_PLACE_STACK, TAIHU_PLACE_MEMORY, TAIHU_PLACES };
/** Other instructions: one cycle of the pipeline, divisions, square roots. */
enum {
  TAIHU_OPERATION_SIMPLE,
  TAIHU_OPERATION_DIVISION,
  TAIHU_OPERATION_SQUARE_ROOT,
  TAIHU_OPERATIONS
};

/** A line of the source, and what kernels have done there: all threads add to it, atomically. What the runtime does in a call
 *  belongs to the line of the call. */
struct taihu_source_line {
  const char *file;
  const char *function;
  uint32_t line; /**< 0: unknown */
  uint32_t unused;
  uint64_t accesses[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES];
  uint64_t operations[TAIHU_OPERATIONS];
  uint64_t waited; /**< 1/1024 of a cycle */
  uint64_t transfers, transfer_bytes;
};
/** Counters of one accelerator thread; written by that thread alone. */
struct taihu_scratchpad_record {
  uint64_t begin[2];  /**< of the scratchpad and of the stack */
  uint64_t length[2]; /**< their bytes */
  uint64_t accesses[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES];
  uint64_t operations[TAIHU_OPERATIONS];
  uint64_t calls;   /**< of functions, but for those of the runtime */
  uint64_t entered; /**< of these, functions that count */
  uint64_t calling; /**< 1 from a call until a function that counts begins */
  struct taihu_source_line *line; /**< of the call that was made last; null without --spm-model-lines */
};

/** A function that may be a kernel. */
struct taihu_kernel_name {
  void (*function)(void *);
  const char *name;
};

/** One compiled file. */
struct taihu_modelled_module {
  uint64_t version;    /**< TAIHU_MODELLED_MODULE_VERSION */
  const char *machine; /**< text of the machine's file; empty: the default machine */
  struct taihu_source_line *lines; /**< null without --spm-model-lines */
  uint64_t line_count;
  const struct taihu_kernel_name *kernels;
  uint64_t kernel_count;
  const char *pictures; /**< folder for a picture of each kernel; empty: none are drawn */
};

/** Called once for each file when the program is loaded, before main. */
void taihu_add_modelled_module(const struct taihu_modelled_module *module);

/** Null outside of kernels. */
extern __thread __attribute__((tls_model("initial-exec"))) struct taihu_scratchpad_record *taihu_current_record;

#ifdef __cplusplus
}
#endif

#endif
