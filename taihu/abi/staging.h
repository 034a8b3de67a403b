/* SPDX-License-Identifier: Apache-2.0
 *
 * staging.h: what code made by `parcc --auto-dma` and the runtime agree on. A stage is a loop, or a nest of loops, whose
 * accesses of main memory go through buffers in the thread's scratchpad. All of it is used by one thread.
 */
#ifndef TAIHU_ABI_STAGING_H
#define TAIHU_ABI_STAGING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TAIHU_STREAM_STAGED = 1,  /**< through buffers; else only looked at for overlaps */
  TAIHU_STREAM_READ = 2,    /**< must be fetched */
  TAIHU_STREAM_WRITTEN = 4, /**< of a staged one: written_bytes are put back */
  TAIHU_STREAM_KEPT = 8,    /**< all of it lies in the scratchpad from begin to end */
  TAIHU_STREAM_LOOK_UP = 16, /**< staged only when it lies inside of one of the objects of taihu_add_objects */
  TAIHU_STREAM_PERHAPS_WRITTEN = 32, /**< the loop may write nothing of it: staged only where that object is not
                                          constant */
  TAIHU_STREAM_TABLE = 64 /**< read at places that only the run knows, and kept: all of the object of
                               taihu_add_objects in which `memory` lies, where it is small, apart from what is
                               written, and worth its transfer */
};

/** Accesses that move by `step` in each iteration. */
struct taihu_stream {
  char *memory;            /**< lowest byte that iteration 0 may touch; of a staged table its first byte, set by
                                the runtime */
  int64_t step;            /**< bytes between iterations, may be negative */
  uint64_t iterations;     /**< at least 1 */
  uint64_t bytes;          /**< that one iteration may touch, from its lowest on; of a table set by the runtime,
                                0: it is not staged */
  uint64_t written_offset; /**< of what each iteration writes as a whole, which is at least |step| bytes or the only one */
  uint64_t written_bytes;
  const char *object;      /**< the stream is staged only when it lies inside of this object; null: not asked */
  uint64_t object_bytes; /**< of a table: bytes whose transfer the accesses of one iteration outweigh */
  uint64_t flags;
  uint64_t *version; /**< of a stream that is only read: its copy may stay for later stages, until the word is another (see
                          taihu_place_begin); null: it may not */
  /* Set by the runtime. */
  char *near_memory; /**< where `memory` of the first iteration of the tile, or of all, lies now */
  char *halves[2];   /**< buffers, at multiples of 64 bytes; a window keeps its address modulo 64 */
  int32_t got[2];    /**< reply words */
  int32_t put[2];
  char *copy;        /**< the whole stream's, which stays; null: it lies in the stage's own buffers */
};

struct taihu_stage {
  uint64_t iterations; /**< of the tiled loop; 0 for more than 2^64 - 1 */
  uint64_t tile;       /**< its greatest length; the runtime makes it smaller when there is less room */
  uint64_t least;      /**< of iterations for which it pays */
  uint64_t stream_count;
  uint64_t turn; /**< tile that comes next */
  void *buffers;
  struct taihu_stream streams[];
};

/** A variable that pointers of other files may name. */
struct taihu_object {
  const char *begin;
  uint64_t bytes; /**< and TAIHU_OBJECT_CONSTANT */
};
/** Of an object that lies in memory which cannot be written. */
#define TAIHU_OBJECT_CONSTANT (UINT64_C(1) << 63)

/** Called when a file with these variables is loaded, and before it is unloaded. */
void taihu_add_objects(const struct taihu_object *objects, uint64_t count);
void taihu_remove_objects(const struct taihu_object *objects, uint64_t count);

/** 1 when the accesses may go through buffers from now on; 0, and nothing is changed, when the loop has to work on main
 *  memory: outside of kernels, streams that overlap, too few iterations, no room. `turn` is 0 before. */
int32_t taihu_stage_begin(struct taihu_stage *stage);

/** Before each tile: returns its iterations and sets near_memory. Called until all iterations are done. */
uint64_t taihu_stage_turn(struct taihu_stage *stage);

/** After the last tile: main memory has all that was written, the buffers are given back. */
void taihu_stage_end(struct taihu_stage *stage);

/** A copy in the scratchpad of `bytes` at `object`, which nobody writes until the end; `object` itself outside of kernels and
 *  where there is no room. `*version` is 0 in the file and grows after every write to the object, or `version` is null: then
 *  the copy does not stay for later kernels. */
void *taihu_place_begin(void *object, uint64_t bytes, uint64_t *version);
/** The same, at the begin of `kernel` and of all its threads: memory is read once for them. `number` counts such objects of the
 *  kernel from 0. A thread for which it is a mere function takes a copy of its own. */
void *taihu_place_for_all(void *object, uint64_t bytes, uint64_t *version, void (*kernel)(void *), uint64_t number);
void taihu_place_end(void *object, void *place);

#ifdef __cplusplus
}
#endif

#endif
