/* SPDX-License-Identifier: Apache-2.0
 *
 * parallelc_compiler.h: what the code that parcc generates for `forall` and `__thread_local` uses. Included by
 * parallelc.h under parcc; programs do not use these names themselves. The functions at the top are defined by the
 * runtime (libparallelc.so); the inline ones below divide a loop's iterations and need only taihu_member.
 *
 * A countable forall becomes (all tokens of the programmer once; F and L are names that occur nowhere else):
 *
 *   for (struct taihu_forall F = taihu_forall_begin(SCOPE); F.open;)
 *     for (INIT; F.open; F.open = 0, i = F.end)
 *       for (taihu_forall_block(&F, i, RELATION, BOUND, STEP); taihu_forall_next(&F);)
 *         for (unsigned long long L = (i = F.first, F.length); L; --L, i += F.step) STATEMENT
 *
 * and one with an integer affinity:
 *
 *   for (struct taihu_forall F = taihu_forall_each(SCOPE); F.open; F.open = 0)
 *     for (INIT; CONDITION; STEP) if (!taihu_forall_mine(&F, AFFINITY)) {} else STATEMENT
 *
 * Outside a __kernel function, where SCOPE is or may be CCC_ARRAY, all of this except the evaluation of SCOPE is the
 * body of a function that takes the locals by reference, and the call of that function is taihu_region_run.
 */
#ifndef TAIHU_PARALLELC_COMPILER_H
#define TAIHU_PARALLELC_COMPILER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Defined by the runtime ---------------------------------------------------------------------------------- */

/** Sets *rank and *size to m_rank(scope) and m_size(scope) of the calling thread. Never blocks. A value that is no
 *  scope ends the job with a message. */
void taihu_member(int scope, int *rank, int *size);

/** Runs a forall that was written outside a kernel. When `scope` is CCC_ARRAY and the caller is process code (not an
 *  accelerator thread), runs body(captured) on every accelerator thread of the process, like m_run, and returns when
 *  all have ended; a kernel that was spawned before is finished first. Otherwise calls body(captured) directly.
 *  `captured` is valid until the call returns; writes of the threads are visible to the caller afterwards. */
void taihu_region_run(void (*body)(void *captured), void *captured, int scope);

/** Self-scheduling of `forall (...; ANY; scope)`. Every member of `scope` enters the same dynamic loops in the same
 *  order, each with the same `count` of iterations; a member may enter the next loop while others are still in this
 *  one. Returns a number that names the loop for taihu_dynamic_next, or 0: the caller divides the loop as BLOCK does
 *  (a scope of processes in a kernel, or with one member). Over CCC_ARRAY called by accelerator threads only; by
 *  process code only when the process has no array running, and then the caller is the only member. */
unsigned long long taihu_dynamic_begin(int scope, unsigned long long count);

/** Hands the caller a piece [*first, *first + *length) of the loop's iterations, each iteration to one thread exactly
 *  once, and returns 1; or returns 0 when all are handed out. Each thread calls it until it has returned 0 once, which
 *  ends the loop for that thread. */
int taihu_dynamic_next(int scope, unsigned long long loop, unsigned long long *first, unsigned long long *length);

/** Ends the job with "forall: <reason>" and `value`, the offending number: a loop that never ends, a block size below
 *  one. Does not return. */
__attribute__((noreturn, cold)) void taihu_forall_failed(const char *reason, long long value);

/** Called in each turn of a loop that waits for what another thread writes: others may run on the caller's core. `turns`
 *  is 0 when the loop has just begun; the call counts it. */
void taihu_yield_while_waiting(unsigned long long *turns);

/** Called in one of many turns of a loop that may wait and may compute: in an accelerator thread that shares its core, the
 *  others run. Else it does nothing. */
void taihu_yield_to_others(void);

/** Under `parcc --check`, called at the start of every function that uses a __thread_local variable: ends the job with
 *  `function`'s name when the caller is not an accelerator thread. */
void taihu_scratchpad_check(const char *function);

/** Called before each call of stdio, of files and of the system, named `name`, in files that have kernels: `parcrun
 *  --stats` counts those that accelerator threads make. */
void taihu_proxied_call(const char *name);

/** Distance in bytes from the template of the __thread_local variables (struct taihu_program) to the calling thread's
 *  instance of them: the address of the caller's instance of v is (char *)&v + taihu_scratchpad_delta. Set by the
 *  runtime before a thread runs kernels. Threads that have no scratchpad keep 0: they see the template. */
extern __thread __attribute__((tls_model("initial-exec"))) ptrdiff_t taihu_scratchpad_delta;

/* Markers that the compiler replaces by one call of taihu_region_run; they exist nowhere. */
void taihu_region_enter(int region, int scope);
void taihu_region_inside(int region);

/* ---- The division of a loop ---------------------------------------------------------------------------------- */

#define TAIHU_INLINE static __inline__ __attribute__((always_inline, unused, nodebug))

/** How the induction variable is compared with the bound. */
enum { TAIHU_LESS, TAIHU_LESS_EQUAL, TAIHU_GREATER, TAIHU_GREATER_EQUAL, TAIHU_NOT_EQUAL };

/** One execution of a forall by one member.
 *  Iteration k of the loop has the value lower + k * step, in arithmetic modulo 2^64 as all fields here;
 *  the current piece is iterations [position - length, position) and `first` the value of its first one. */
struct taihu_forall {
  int open; /**< 1 until the loop has been executed */
  int scope;
  int rank;
  int size;
  int dynamic;              /**< 1: pieces come from taihu_dynamic_next */
  unsigned long long loop;  /**< name of the dynamic loop */
  unsigned long long lower; /**< value of iteration 0 */
  unsigned long long step;
  unsigned long long count;    /**< iterations of the whole loop */
  unsigned long long position; /**< where the next piece starts */
  unsigned long long block;    /**< iterations of a piece */
  unsigned long long skip;     /**< iterations between the end of a piece and the start of the next */
  unsigned long long first;
  unsigned long long length;
  unsigned long long end; /**< value of the induction variable after the loop */
};

/** An integer of any type. value: modulo 2^64; wide: 1 when its promoted type has 64 bits. */
struct taihu_integer {
  unsigned long long value;
  int is_unsigned;
  int wide;
};

TAIHU_INLINE struct taihu_integer taihu_make_integer(unsigned long long value, int is_unsigned, int wide) {
  struct taihu_integer result;
  result.value = value;
  result.is_unsigned = is_unsigned;
  result.wide = wide;
  return result;
}

#ifdef __cplusplus
extern "C++" {
#define TAIHU_OVERLOAD TAIHU_INLINE
#else
#define TAIHU_OVERLOAD TAIHU_INLINE __attribute__((overloadable))
#endif
/* One for each promoted integer type. The last five are never called: they let the compiler's own rules, which refuse
   them, say what is wrong with the operand. */
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(int value) {
  return taihu_make_integer((unsigned long long)(long long)value, 0, 0);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(unsigned value) {
  return taihu_make_integer(value, 1, 0);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(long value) {
  return taihu_make_integer((unsigned long long)(long long)value, 0, sizeof value == 8);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(unsigned long value) {
  return taihu_make_integer(value, 1, sizeof value == 8);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(long long value) {
  return taihu_make_integer((unsigned long long)value, 0, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(unsigned long long value) {
  return taihu_make_integer(value, 1, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(__int128 value) {
  return taihu_make_integer((unsigned long long)value, 0, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(unsigned __int128 value) {
  return taihu_make_integer((unsigned long long)value, 1, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(double value) {
  return taihu_make_integer((unsigned long long)value, 0, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(long double value) {
  return taihu_make_integer((unsigned long long)value, 0, 1);
}
TAIHU_OVERLOAD struct taihu_integer taihu_forall_integer(const volatile void *value) {
  return taihu_make_integer((unsigned long long)value, 1, 1);
}
#ifdef __cplusplus
}
#endif
#undef TAIHU_OVERLOAD

TAIHU_INLINE struct taihu_forall taihu_forall_begin(int scope) {
  struct taihu_forall loop = {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  loop.scope = scope;
  return loop;
}

/** Who the caller is; asked where the loop runs, which is not where it was begun when a region lies between. */
TAIHU_INLINE void taihu_forall_ask(struct taihu_forall *loop) {
  /* Of its own variables: a loop whose address were given away would stay in memory, its step an unknown number. */
  int rank, size;
  taihu_member(loop->scope, &rank, &size);
  loop->rank = rank;
  /* It is at least 1 anyway; the compiler must know that before it computes a division by it earlier (--auto-dma). */
  loop->size = size > 1 ? size : 1;
}

/** The step of `i -= value`. */
TAIHU_INLINE struct taihu_integer taihu_forall_negated(struct taihu_integer value) {
  return taihu_make_integer(0 - value.value, 0, value.wide);
}

/** Start of a forall with an integer affinity. */
TAIHU_INLINE struct taihu_forall taihu_forall_each(int scope) {
  struct taihu_forall loop = taihu_forall_begin(scope);
  taihu_forall_ask(&loop);
  return loop;
}

/** a < b in the type that C's usual arithmetic conversions give a comparison of the two. */
TAIHU_INLINE int taihu_less(unsigned long long a, unsigned long long b, int is_unsigned) {
  return is_unsigned ? a < b : (long long)a < (long long)b;
}

/** Fills lower, step, count and end. */
TAIHU_INLINE void taihu_forall_count(struct taihu_forall *loop, struct taihu_integer variable, int relation,
                                     struct taihu_integer bound, struct taihu_integer step) {
  const int wide = variable.wide | bound.wide;
  const int is_unsigned =
      (variable.is_unsigned && variable.wide == wide) || (bound.is_unsigned && bound.wide == wide);
  /* Both operands of the comparison, converted to its type. */
  const unsigned long long mask = is_unsigned && !wide ? 0xffffffffULL : ~0ULL;
  const unsigned long long from = variable.value & mask;
  const unsigned long long to = bound.value & mask;
  const long long signed_step = (long long)step.value;
  const int up = signed_step > 0 || (step.is_unsigned && step.value != 0);
  unsigned long long distance = 0;
  unsigned long long stride = up ? step.value : 0 - step.value;

  loop->lower = variable.value;
  loop->step = step.value;
  switch (relation) {
    case TAIHU_LESS: distance = taihu_less(from, to, is_unsigned) ? to - from : 0; break;
    case TAIHU_LESS_EQUAL: distance = taihu_less(to, from, is_unsigned) ? 0 : to - from + 1; break;
    case TAIHU_GREATER: distance = taihu_less(to, from, is_unsigned) ? from - to : 0; break;
    case TAIHU_GREATER_EQUAL: distance = taihu_less(from, to, is_unsigned) ? 0 : from - to + 1; break;
    default: distance = up ? to - from : from - to; break;
  }
  if (relation == TAIHU_NOT_EQUAL && from != to) {
    /* An unsigned variable may wrap around on its way. */
    const int wraps = is_unsigned && variable.is_unsigned && variable.wide == wide;
    distance &= mask;
    if (signed_step == 0 || (!wraps && taihu_less(to, from, is_unsigned) == up) || distance % stride != 0)
      taihu_forall_failed("the loop never ends: its step does not lead to the bound; step", signed_step);
  } else if (distance != 0 && (stride == 0 || up != (relation <= TAIHU_LESS_EQUAL))) {
    taihu_forall_failed("the loop never ends: its step leads away from the bound; step", signed_step);
  }
  loop->count = distance == 0 ? 0 : (distance - 1) / stride + 1;
  loop->end = loop->lower + loop->count * loop->step;
}

/** BLOCK: contiguous equal blocks, the first count mod size members one more. */
TAIHU_INLINE void taihu_forall_block(struct taihu_forall *loop, struct taihu_integer variable, int relation,
                                     struct taihu_integer bound, struct taihu_integer step) {
  unsigned long long size, rank, share, rest;
  taihu_forall_ask(loop);
  taihu_forall_count(loop, variable, relation, bound, step);
  size = (unsigned long long)loop->size;
  rank = (unsigned long long)loop->rank;
  share = loop->count / size;
  rest = loop->count % size;
  loop->position = rank * share + (rank < rest ? rank : rest);
  loop->block = share + (rank < rest);
  if (loop->block == 0) loop->position = loop->count;
  loop->skip = loop->count;
}

/** BLOCK(n): blocks of n iterations dealt round-robin. */
TAIHU_INLINE void taihu_forall_deal(struct taihu_forall *loop, struct taihu_integer variable, int relation,
                                    struct taihu_integer bound, struct taihu_integer step,
                                    struct taihu_integer block) {
  unsigned long long size, rank, blocks;
  if (block.value == 0 || (!block.is_unsigned && (long long)block.value < 0))
    taihu_forall_failed("the block size must be at least 1; BLOCK", (long long)block.value);
  taihu_forall_ask(loop);
  taihu_forall_count(loop, variable, relation, bound, step);
  size = (unsigned long long)loop->size;
  rank = (unsigned long long)loop->rank;
  /* Compared in numbers of blocks, because rank * block may be larger than any integer. */
  blocks = loop->count == 0 ? 0 : (loop->count - 1) / block.value + 1;
  loop->block = block.value;
  loop->position = rank < blocks ? rank * block.value : loop->count;
  loop->skip = (size - 1) > (~0ULL / block.value) ? ~0ULL : (size - 1) * block.value;
}

/** ANY: dynamic where the runtime can, else like BLOCK. */
TAIHU_INLINE void taihu_forall_any(struct taihu_forall *loop, struct taihu_integer variable, int relation,
                                   struct taihu_integer bound, struct taihu_integer step) {
  taihu_forall_count(loop, variable, relation, bound, step);
  loop->loop = taihu_dynamic_begin(loop->scope, loop->count);
  loop->dynamic = loop->loop != 0;
  if (!loop->dynamic) taihu_forall_block(loop, variable, relation, bound, step);
}

/** Sets first and length to the caller's next piece; 0 when there is none. */
TAIHU_INLINE int taihu_forall_next(struct taihu_forall *loop) {
  unsigned long long rest;
  if (loop->dynamic) {
    unsigned long long position = 0, length = 0;
    if (!taihu_dynamic_next(loop->scope, loop->loop, &position, &length)) return 0;
    loop->first = loop->lower + position * loop->step;
    loop->length = length;
    return 1;
  }
  if (loop->position >= loop->count) return 0;
  rest = loop->count - loop->position;
  loop->first = loop->lower + loop->position * loop->step;
  loop->length = rest < loop->block ? rest : loop->block;
  rest -= loop->length;
  /* The first comparison lets the compiler see that BLOCK has one piece. */
  loop->position =
      loop->skip < loop->count && loop->skip < rest ? loop->position + loop->length + loop->skip : loop->count;
  return 1;
}

/** Integer affinity: whether the member of relative rank `affinity` mod size is the caller. */
TAIHU_INLINE int taihu_forall_mine(struct taihu_forall *loop, struct taihu_integer affinity) {
  if (affinity.is_unsigned) return affinity.value % (unsigned long long)loop->size == (unsigned)loop->rank;
  {
    const long long rest = (long long)affinity.value % loop->size;
    return (rest < 0 ? rest + loop->size : rest) == loop->rank;
  }
}

#ifdef __cplusplus
}
#endif

#undef TAIHU_INLINE

#endif
