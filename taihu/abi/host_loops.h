/* SPDX-License-Identifier: Apache-2.0
 *
 * host_loops.h: what code made by `parcc --optimise-for-host` and the runtime agree on. A loop stands there twice, as it was
 * and changed for a processor with caches; before it begins, the run asks here which of the two pays.
 */
#ifndef TAIHU_ABI_HOST_LOOPS_H
#define TAIHU_ABI_HOST_LOOPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many pairs of addresses taihu_prefetch_ahead gets. */
enum { TAIHU_LOOK_UP_SAMPLES = 32 };

/** Where neither the user nor taihu-tune says otherwise: of a table that is fetched ahead, and of stores that pass the caches. */
#define TAIHU_LOOKED_UP_BYTES_DEFAULT (32UL << 20)
#define TAIHU_STORED_BYTES_DEFAULT (64UL << 20)

/** Whether parcc makes stores that pass the caches for the processor that this is compiled for. */
#ifdef __SSE2__
#define TAIHU_HAS_STORES_PAST_CACHES 1
#else
#define TAIHU_HAS_STORES_PAST_CACHES 0
#endif

/** How many iterations ahead a loop had better fetch what it looks up; 0: not at all. `addresses` are those of
 *  TAIHU_LOOK_UP_SAMPLES iterations from begin to end of the loop, each followed by that of the next iteration. They are
 *  compared, not read. Any thread may call it. */
uint64_t taihu_prefetch_ahead(const char *const *addresses);

/** How a loop that may fetch ahead goes on: some iterations with it, some without, until it is known what is faster. */
struct taihu_look_up_turns {
  uint64_t turn; /**< set to 0 before the loop */
  /* Set by the runtime. */
  uint64_t last; /**< iteration of this turn */
  uint64_t ahead; /**< iterations; 0: the turn fetches nothing ahead */
  int64_t begin_ns, best_ns[2]; /**< of turns without and with it */
  uint64_t rest; /**< iterations with it until both are timed again */
};

/** Ends a turn, if one has begun, and begins another. `ahead` is what taihu_prefetch_ahead has said. */
void taihu_next_look_up_turn(struct taihu_look_up_turns *turns, uint64_t ahead);

/** 1 when stores of `bytes` together, which are written one after the other and not read, had better pass the caches. Any
 *  thread may call it. */
int32_t taihu_stores_pass_caches(uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
