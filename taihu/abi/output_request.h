/* SPDX-License-Identifier: Apache-2.0
 *
 * output_request.h: what the code that parcc makes of output calls (printf, puts, fwrite ...) gives to the runtime. One
 * request is one call, or several neighbouring ones joined, with all arguments. Programs do not use these names.
 */
#ifndef TAIHU_ABI_OUTPUT_REQUEST_H
#define TAIHU_ABI_OUTPUT_REQUEST_H

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of arguments. A number from 0 on is a string of which at most so many bytes are read. */
enum {
  TAIHU_ARGUMENT_INT = -1,
  TAIHU_ARGUMENT_LONG = -2, /**< any integer of 64 bits, and pointers */
  TAIHU_ARGUMENT_DOUBLE = -3,
  TAIHU_ARGUMENT_LONG_DOUBLE = -4,
  TAIHU_ARGUMENT_STRING = -5,
  TAIHU_ARGUMENT_LIMITED_STRING = -6 /**< the int before it says how many bytes are read at most; negative: no limit */
};

/** One place in the source; constant, so that a request carries its address alone. */
struct taihu_output {
  /** As of printf, with the conversions that `arguments` describes. Null: bytes; the arguments are const void * and
   *  unsigned long, address and number. */
  const char *format;
  const int *arguments;
  /** The functions that the programmer called, for `parcrun --stats`. */
  const char *const *names;
  int argument_count;
  int name_count;
  /** 1: `parcc --no-proxy-opt`; the format and each argument is a request of its own. */
  int in_pieces;
};

/** Does what the calls do that `output` stands for; their results are not used. `stream`: FILE *, or null for the
 *  caller's standard output. Any thread may call. On accelerator threads output to standard output may appear later: when
 *  process code has time, and before any call of the runtime below or of the language that says otherwise. */
void taihu_output_call(const struct taihu_output *output, void *stream, ...);

/** Returns when all output that accelerator threads of the caller's process have asked for has been handed to its
 *  stream. Called before code is called that may use streams itself. */
void taihu_output_fence(void);

#ifdef __cplusplus
}
#endif

#endif
