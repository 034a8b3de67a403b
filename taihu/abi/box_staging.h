/* SPDX-License-Identifier: Apache-2.0
 *
 * box_staging.h: what code made by `parcc --auto-dma` for nests of loops and the runtime agree on. One or two loops of a
 * nest are cut into tiles. What an object's accesses touch in one tile is a box: planes of rows of bytes, with constant
 * distances in main memory, packed in the thread's scratchpad. The code reaches all of them by pointers and pitches that
 * the runtime sets, so each box may also stay in main memory. All of it is used by one thread.
 */
#ifndef TAIHU_ABI_BOX_STAGING_H
#define TAIHU_ABI_BOX_STAGING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TAIHU_BOX_STAGED = 1, /**< may be moved; else only looked at for overlaps */
  TAIHU_BOX_READ = 2,   /**< must be fetched */
  TAIHU_BOX_WRITTEN = 4, /**< of one that may be moved: the written part is put back */
  TAIHU_BOX_LOOK_UP = 8, /**< its object is that of taihu_add_objects in which it lies */
  TAIHU_BOX_PERHAPS_WRITTEN = 16 /**< the nest may write nothing of it: moved only where that object is not constant */
};

/** Ways in which a box extends. */
enum { TAIHU_BOX_PLANES, TAIHU_BOX_ROWS, TAIHU_BOX_BYTES, TAIHU_BOX_WAYS };

struct taihu_box {
  char *memory;      /**< address that offset 0 has in the first iteration of all loops */
  int64_t pitch[2];  /**< bytes between planes and between rows, at least 0; 0: there is one */
  int64_t step[2];   /**< bytes by which an iteration of each tiled loop moves it */
  int64_t way[2];    /**< along which; TAIHU_BOX_WAYS: not at all */
  uint64_t count[3]; /**< planes, rows of each, bytes of each that one iteration of the tiled loops touches */
  int64_t origin[3]; /**< of the place of `memory` in that */
  uint64_t written_from[3], written_count[3]; /**< its part that each iteration writes, or reads, as a whole */
  char *low, *high;         /**< addresses of all accesses of the nest: [low, high) */
  char *certain_low, *certain_high; /**< of those that no condition guards; both null: there are none */
  const char *object;       /**< null: its bytes are not known */
  uint64_t object_bytes;
  double gain;              /**< cycles that accesses of the whole nest save */
  uint64_t flags;
  uint64_t *version;        /**< of a box that is only read: its copy may stay for later nests, until the word is another
                                 (taihu_place_begin); null: it may not */
  /* Set by the runtime. */
  char *copy;            /**< of what the whole nest reads, which stays; null: tiles lie in buffers of the nest */
  char *near_memory;     /**< where offset 0 lies in the first iteration of the tile */
  int64_t near_pitch[2];
  char *halves[2];
  uint64_t half;         /**< of the present tile */
  int32_t got[2], put[2];
};

struct taihu_box_stage {
  uint64_t iterations[2]; /**< of the tiled loops; 1 for the second where there is only one */
  uint64_t is_allowed;    /**< 0: what the code takes for granted is not so */
  uint64_t is_reordered;  /**< two loops are tiled: written boxes must overlap no other, staged or not */
  double start, per_byte, per_block; /**< cycles of transfers */
  uint64_t box_count;
  /* Set by the runtime. */
  uint64_t first[2], count[2]; /**< iterations of the present tile */
  uint64_t has_more;           /**< tiles after it */
  uint64_t tile[2];
  void *buffers;
  struct taihu_box boxes[];
};

/** 1 when tiles are to be worked on; 0, and nothing is changed, when the loops have to work as they were: outside of
 *  kernels, where nothing gains or fits, when boxes overlap. */
int32_t taihu_box_begin(struct taihu_box_stage *stage);

/** Before each tile: sets first, count, has_more, and where boxes are. */
void taihu_box_turn(struct taihu_box_stage *stage);

/** After the last tile: main memory has all that was written, the buffers are given back. */
void taihu_box_end(struct taihu_box_stage *stage);

#ifdef __cplusplus
}
#endif

#endif
