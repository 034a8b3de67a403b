/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * NUMA-aware allocation: one contiguous block whose parts belong to threads, the pages of each part on the memory
 * node of its thread before anyone touches them. Link with -lnaalloc; C11 and C++, Fortran through naalloc.f90.
 *
 * Where pages cannot be placed (one node, no permission, a node without memory) every call still works; the log and
 * the report say why. All calls may come from any thread at any time; they take one lock for a short while and do
 * not wait for other threads, except naalloc_init() as described there. After fork() both processes may go on.
 * Source: Gu, Liu, Optimizing Algebraic Multigrid on NUMA-based Cluster System, section 3.4.
 */
#ifndef TAIHU_ABI_NAALLOC_H
#define TAIHU_ABI_NAALLOC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what libnaalloc.so offers. */
#define NAALLOC_PUBLIC __attribute__((visibility("default")))

/** Looks again where the threads run: takes the threads that called naalloc_thread(), else NAALLOC_THREADS threads
 * spread over the cpus of this process when that variable is set to another number than OpenMP's, else OpenMP's
 * threads, of which each is asked in one parallel region of the default size, else the caller alone. Call it outside
 * of parallel regions, after binding threads.
 * Not needed before naalloc(), which does it when threads were never looked at or their number changed.
 * @returns the number of threads found, at least 1 */
NAALLOC_PUBLIC int naalloc_init(void);

/** Says that the caller is thread number `thread` (from 0) of a pool that is not OpenMP's; it should be bound.
 * @returns the memory node of the caller, or -1 with errno EINVAL for a negative number or one above 65535 */
NAALLOC_PUBLIC int naalloc_thread(int thread);

/** Number of threads in the map of threads to nodes, at least 1. */
NAALLOC_PUBLIC int naalloc_threads(void);

/** Memory node that the pages of thread `thread` go to; -1 with errno EINVAL when there is no such thread. */
NAALLOC_PUBLIC int naalloc_node_of_thread(int thread);

/** A block of part_end[nparts-1] elements; part t are the elements from part_end[t-1] (0 for t = 0) to part_end[t],
 * without the last, and belongs to thread t of the map. When the map has another number of threads T, part t belongs
 * to thread t*T/nparts. A page with several owners goes to the node that owns most of its bytes.
 * Contents are undefined; begins at a page, or at a multiple of 64 bytes when it is small.
 * @param elem_size bytes of one element, at least 1
 * @param part_end  nparts numbers that never fall; equal neighbours are empty parts
 * @param nparts    number of parts, at least 1
 * @returns null with errno EINVAL for wrong parts, ENOMEM when there is no memory or the size overflows */
NAALLOC_PUBLIC void *naalloc(size_t elem_size, const size_t *part_end, int nparts);

/** The same with all bytes zero; pages that were used before are cleared by the threads that own them. */
NAALLOC_PUBLIC void *naalloc_zeroed(size_t elem_size, const size_t *part_end, int nparts);

/** A block of n elements in equal consecutive parts, one for each thread of the map, as a static loop divides it. */
NAALLOC_PUBLIC void *naalloc_block(size_t n, size_t elem_size);

/** A block whose pages take turns over all nodes with memory: for what all threads read alike. */
NAALLOC_PUBLIC void *naalloc_interleave(size_t bytes);

/** A block on one node. EINVAL when the machine has no such node. */
NAALLOC_PUBLIC void *naalloc_on_node(size_t bytes, int node);

/** Values or column indices of a matrix in compressed rows: part t are the entries of the rows from row_end[t-1] to
 * row_end[t], without the last. row_ptr holds row_end[nparts-1] + 1 positions and begins with 0. */
NAALLOC_PUBLIC void *naalloc_csr32(size_t elem_size, const int32_t *row_ptr, const size_t *row_end, int nparts);
/** The same with 64-bit positions. */
NAALLOC_PUBLIC void *naalloc_csr64(size_t elem_size, const int64_t *row_ptr, const size_t *row_end, int nparts);

/** Row ends for nparts threads with about equally many entries each.
 * row_end receives nparts numbers, of which the last is `rows`.
 * @returns 0, or -1 with errno EINVAL (nothing is written) */
NAALLOC_PUBLIC int naalloc_csr_balance32(const int32_t *row_ptr, size_t rows, int nparts, size_t *row_end);
/** The same with 64-bit positions. */
NAALLOC_PUBLIC int naalloc_csr_balance64(const int64_t *row_ptr, size_t rows, int nparts, size_t *row_end);

/** A block of another size or partition with the contents of `block` up to the smaller size. `block` may be null and
 * is gone on success; on failure it is untouched and null is returned with errno as of naalloc(), or EINVAL when
 * `block` is not one. */
NAALLOC_PUBLIC void *narealloc(void *block, size_t elem_size, const size_t *part_end, int nparts);

/** Takes a block back; null is allowed. What is not a live block is left alone, noted in the log, errno is EINVAL.
 * The pages may stay with the process for the next block of the same shape (see naalloc_trim()). */
NAALLOC_PUBLIC void nafree(void *block);

/** Gives pages of freed blocks back to the system until at most `keep_bytes` of them are left. */
NAALLOC_PUBLIC void naalloc_trim(size_t keep_bytes);

/** Moves the pages of memory that somebody else allocated (or of a block of naalloc) to the nodes of their parts; the
 * memory may be in use. Pages that other parts' threads share with memory outside of it stay where they are.
 * `bytes` is the size of the memory; the parts must lie inside.
 * @returns the number of pages that could not be put where they belong, or -1 with errno EINVAL for wrong arguments;
 *          pages that nobody has touched count as placed only in blocks of naalloc */
NAALLOC_PUBLIC long naalloc_rebind(void *existing, size_t bytes, size_t elem_size, const size_t *part_end, int nparts);

/** Names a block in log and report; at most 63 bytes are kept. */
NAALLOC_PUBLIC void naalloc_label(void *block, const char *label);

/** Where the pages of one block are. local + remote + unknown + untouched = all pages of the block. */
struct naalloc_pages {
    size_t page_bytes; /**< size of one page in bytes */
    size_t local;      /**< on the node that owns most of the page */
    size_t remote;     /**< on another node */
    size_t unknown;    /**< present, but the kernel does not say where (for example while it balances them itself) */
    size_t untouched;  /**< without memory until somebody touches them */
};

/** Asks the kernel where the pages of a block are; cost: about 0.1 us for each page.
 * @returns 0, or -1 with errno EINVAL when `block` is not a live block */
NAALLOC_PUBLIC int naalloc_where(const void *block, struct naalloc_pages *pages);

/** Form of a report. */
enum naalloc_format {
    NAALLOC_TEXT, /**< for people */
    NAALLOC_JSON  /**< one object, described in docs/reference/naalloc.md; numa-model reads it */
};

/** Writes nodes, threads and every live block: size, partition, pages per node, share that is where it should be.
 * @returns 0, or -1 with errno of the failed write */
NAALLOC_PUBLIC int naalloc_report(FILE *file, enum naalloc_format format);

/** From now on every allocation, release, change of the threads and reason for not placing pages is told to `line`
 * as one line of text without a line end. It is called with the lock held and must not call naalloc. Null ends it.
 * Environment variable NAALLOC_LOG=stderr or =FILE does the same from the start. */
NAALLOC_PUBLIC void naalloc_log(void (*line)(void *user, const char *text), void *user);

#ifdef __cplusplus
}
#endif

#endif
