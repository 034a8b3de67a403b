/** SPDX-License-Identifier: Apache-2.0
 * @file
 * parallelc.h: what a Parallel C program includes. Compile with `parcc`, run with `parcrun`.
 *
 * Ranks are global unless a scope is an argument. Sizes are bytes. Every function that can fail returns M_SUCCESS or an
 * error code; with the default error handling it first prints rank, call, arguments and reason and ends the job, so
 * only M_SUCCESS is ever seen. Unless said otherwise a function may be called by any thread of a process, and blocks
 * only where its name says so (wait, barrier, lock, blocking send, receive, put and get, collectives).
 *
 * Language source: He, Liu, Fang, Wei, Qi: Design and implementation of Parallel C programming language for domestic
 * heterogeneous many-core systems. Journal of Software 28(4), 2017, sections 3 to 5. Where a message operation has the
 * name of an MPI operation, it has that operation's meaning (MPI-3.1).
 */
#ifndef TAIHU_PARALLELC_H
#define TAIHU_PARALLELC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Scopes ------------------------------------------------------------------------------------------------- */

/** Who takes part: an argument of forall, get_task_id, barriers, locks and collectives, like a communicator. */
typedef enum m_scope_t {
  CCC_ALL = 0,   /**< every process of the job */
  CCC_SNODE = 1, /**< supernode: processes on nodes that are near in the network (`parcrun --snode`) */
  CCC_BNODE = 2, /**< big node: processes inside one physical node (`parcrun --bnode`) */
  CCC_NODE = 3,  /**< node: a part of the big node, by default a NUMA domain (`parcrun --node`) */
  CCC_ARRAY = 4  /**< the accelerator threads of one process (`parcrun --threads`) */
} m_scope_t;

/** Rank of the caller among the members of `scope`, 0 .. m_size(scope)-1. In process code CCC_ARRAY gives 0. */
int m_rank(m_scope_t scope);

/** Number of members of the caller's `scope`. In process code CCC_ARRAY gives the number of accelerator threads. */
int m_size(m_scope_t scope);

/** Global rank of member `rank` of the caller's process scope `scope`; -1 when there is no such member. */
int m_global_rank(m_scope_t scope, int rank);

/* ---- Language words (meaning only under parcc) ------------------------------------------------------------- */

#ifdef __PARALLELC__
#include "parallelc_compiler.h"

/** forall (init; condition; step; affinity; scope) statement
 *  Outside a __kernel, over CCC_ARRAY, it runs on the accelerator threads with the locals by reference and waits for
 *  them; the loop variable must then be declared in init. */
#define forall _Pragma("parallelc forall")
/** One variable per CCC_NODE group, visible to all its processes. File scope or static. */
#define node_shared __attribute__((node_shared))
/** One variable per CCC_BNODE group. File scope or static. */
#define bnode_shared __attribute__((bnode_shared))
/** One variable per accelerator thread, in its scratchpad memory (SPM). File scope or static. Process code has none: a
 *  use in main is an error, one in a function that process code calls ends the program under `parcc --check`. */
#define __thread_local __attribute__((scratchpad))
/** `__kernel void f(void *argument)`: runs on accelerator threads. */
#define __kernel __attribute__((parallelc_kernel))
#endif

/* ---- Kernels and accelerator threads ------------------------------------------------------------------------ */

/** A spawned kernel; from m_spawn to m_join. */
typedef struct m_spawn_state *m_spawn_t;

/** Runs `kernel(argument)` on all accelerator threads of this process and waits for them. Process code only. */
int m_run(void (*kernel)(void *argument), void *argument);

/** Starts `kernel(argument)` on all accelerator threads and returns at once; spawns queue in order, one runs at a
 *  time. Every spawn must be joined. Process code only. */
m_spawn_t m_spawn(void (*kernel)(void *argument), void *argument);

/** Waits until the kernel has ended on all threads and releases `spawn`. */
int m_join(m_spawn_t spawn);

/** Scratchpad memory of the calling accelerator thread: 64-byte aligned, or NULL when the capacity is used up. */
void *spm_malloc(size_t bytes);
/** Returns memory of spm_malloc; NULL is allowed. */
void spm_free(void *memory);
/** Largest request that spm_malloc can meet now. */
size_t spm_available(void);

/** @{ */
/** Copies between main memory and the caller's scratchpad; in kernels only. The `i` forms return at once and add one
 *  to `*reply` when the transfer is complete. dma_bcast is called by all threads of the array with equal `memory` and
 *  `bytes`; memory is read once. M_ERROR_ARGUMENT when the scratchpad side is not wholly in the caller's scratchpad, or
 *  two threads of a dma_bcast differ. */
int dma_get(void *scratchpad, const void *memory, size_t bytes);
int dma_put(void *memory, const void *scratchpad, size_t bytes);
int dma_iget(void *scratchpad, const void *memory, size_t bytes, int *reply);
int dma_iput(void *memory, const void *scratchpad, size_t bytes, int *reply);
int dma_bcast(void *scratchpad, const void *memory, size_t bytes);
/** @} */
/** @{ */
/** The same with `bytes` in blocks of `block`, of which the last may have fewer, whose starts are `stride` apart in main
 *  memory; in the scratchpad they lie one behind the other. `stride` >= `block` > 0; both say nothing when `bytes` <=
 *  `block`. */
int dma_get_stride(void *scratchpad, const void *memory, size_t bytes, size_t block, size_t stride);
int dma_put_stride(void *memory, const void *scratchpad, size_t bytes, size_t block, size_t stride);
int dma_iget_stride(void *scratchpad, const void *memory, size_t bytes, int *reply, size_t block, size_t stride);
int dma_iput_stride(void *memory, const void *scratchpad, size_t bytes, int *reply, size_t block, size_t stride);
/** @} */

/** Blocks until `count` transfers on that reply word are complete (`*reply >= count`). */
int dma_wait(int *reply, int count);

/* ---- Tasks -------------------------------------------------------------------------------------------------- */

/** Next task of [0, total) for the caller, or -1 when none is left: each id is handed out exactly once among the
 *  members of `scope`. Callable by processes and by accelerator threads (with any scope; CCC_ARRAY means the threads of
 *  this process). All members pass the same `total`. A new round starts when every member has been told -1.
 *  `checkpoint_file`: NULL or "" for none, else where complete tasks are recorded; all members pass the same name. What
 *  the file has as complete is not handed out again, by this job or a later one. A task is complete when the member that
 *  took it asks for the next one; -1 comes when the caller's own complete tasks are on the disk. */
long get_task_id(long total, const char *checkpoint_file, m_scope_t scope);

/** What get_task_id returns in place of -1 when `parcrun --task-deadline` has passed and tasks may be left. */
#define M_TASKS_LEFT (-2L)

/* ---- Checkpoints of the whole job --------------------------------------------------------------------------- */

/** Saves the job under the name `path`: each process's file-scope and static variables, its node_shared and bnode_shared
 *  ones, memory of m_malloc, and what m_checkpoint_register named. Collective over CCC_ALL; every process passes the same
 *  path, on a file system that all hosts see. At a quiet point: no kernel, message, transfer or aggregator of any process
 *  is under way (M_ERROR_CONTEXT). `path` is then a whole checkpoint; until then, and after a failure, it is the one that it was
 *  before. `parcrun --restart path` starts main again with all of this restored.
 *  Not saved: the stack, malloc'ed memory, __thread variables, open files, libraries. */
int m_checkpoint(const char *path);

/** Saves [address, address + bytes) in every checkpoint from now on; the memory must stay. In a restarted job fills it with
 *  what was saved of the registration with the same number, counted from the start of main. Process code only. */
int m_checkpoint_register(void *address, size_t bytes);

/** 1 when the job goes on from a checkpoint, else 0. */
int m_restarted(void);

/* ---- Messages ------------------------------------------------------------------------------------------------ */

enum {
  M_SUCCESS = 0,
  M_ERROR_ARGUMENT = 1,  /**< an argument is out of its range */
  M_ERROR_TRUNCATE = 2,  /**< a message is longer than its buffer, or a collective's lengths do not fit together */
  M_ERROR_ADDRESS = 3,   /**< a remote address is not symmetric */
  M_ERROR_CONTEXT = 4,   /**< called where it is not allowed (for example in a kernel) */
  M_ERROR_MEMORY = 5,    /**< out of memory */
  M_ERROR_LINK = 6,      /**< the connection between node processes failed */
  M_ERROR_UNSUPPORTED = 7
};

/** Text of an error code; never NULL, never freed. */
const char *m_error_text(int code);

/** What happens on an error: M_ERRORS_ABORT (default) prints and ends the job, M_ERRORS_RETURN returns the code. */
typedef enum m_errors_t { M_ERRORS_ABORT = 0, M_ERRORS_RETURN = 1 } m_errors_t;
/** Sets the error handling of this process and returns the former one. */
m_errors_t m_set_errors(m_errors_t handling);

/** Ends the whole job with exit code `code`. Does not return. */
void m_abort(int code);

/** Seconds since an arbitrary moment, the same clock for all processes of a node. */
double m_wtime(void);

#define M_ANY_RANK (-1) /**< source rank of receives and probes: any */
#define M_ANY_TAG (-1)  /**< tag of receives and probes: any */

/** What was received: filled by receives, waits and probes; may be NULL where it is an argument. */
typedef struct m_status_t {
  int rank;  /**< sender */
  int tag;   /**< of the message */
  long size; /**< bytes */
  int error; /**< M_SUCCESS or an error code */
} m_status_t;

/** A message in flight: two-sided or one-sided. M_NO_HANDLE is complete. Not shared between threads. */
typedef struct m_message *handle_t;
#define M_NO_HANDLE ((handle_t)0) /**< no message: complete, waits return at once */

/** @{ */
/** Two-sided messages with MPI's matching rules. Tags are >= 0. A rank may send to itself. */
int m_send(int dest_rank, const void *buffer, long size, int tag);
int m_recv(int src_rank, void *buffer, long size, int tag, m_status_t *status);
handle_t m_isend(int dest_rank, const void *buffer, long size, int tag);
handle_t m_irecv(int src_rank, void *buffer, long size, int tag);
/** @} */
/** @{ */
/** The same with the data in memory in blocks of `block` bytes, whose starts are `stride` bytes apart: `size` bytes in
 *  all, of which the last block may have fewer. The message is its bytes one behind the other: the other side may
 *  have other blocks, or none. `block` > 0 and `stride` >= `block`; both say nothing when `size` <= `block`. */
int m_send_stride(int dest_rank, const void *buffer, long size, long block, long stride, int tag);
int m_recv_stride(int src_rank, void *buffer, long size, long block, long stride, int tag, m_status_t *status);
handle_t m_isend_stride(int dest_rank, const void *buffer, long size, long block, long stride, int tag);
handle_t m_irecv_stride(int src_rank, void *buffer, long size, long block, long stride, int tag);
/** @} */
/** Blocks until a matching message could be received. */
int m_probe(int src_rank, int tag, m_status_t *status);
/** Sets *found to 1 and fills *status when a matching message could be received now, else sets it to 0. */
int m_iprobe(int src_rank, int tag, int *found, m_status_t *status);
/** Completes *handle and sets it to M_NO_HANDLE. */
int m_wait(handle_t *handle, m_status_t *status);
/** Like m_wait when the message is complete (*complete = 1); else returns at once (*complete = 0). */
int m_test(handle_t *handle, int *complete, m_status_t *status);
/** m_wait for `count` handles; `statuses` has `count` entries or is NULL. */
int m_waitall(int count, handle_t *handles, m_status_t *statuses);

/** Symmetric memory: collective over CCC_ALL with equal `size`; the same address names each process's own instance in
 *  one-sided calls. 64-byte aligned, zero; NULL on every process when one has not enough memory. */
void *m_malloc(size_t size);
/** Collective over CCC_ALL; frees memory of m_malloc in the same order on every process. */
void m_free(void *memory);

/** Puts memory on the memory nodes of its users: the caller's share of [address, address + bytes), cut as `forall` with BLOCK
 *  cuts bytes, comes from the memory node of the core that the caller runs on when it is touched for the first time,
 *  whoever touches it. Each member of `scope` calls, before the memory is touched: pages that were touched stay. For
 *  node_shared and bnode_shared variables, memory of m_malloc and other memory of a process; CCC_ARRAY only in
 *  kernels. Whole pages only. Waits for nobody. Returns the bytes that it placed: 0 where there is nothing to choose (one memory
 *  node, the kernel refuses, no whole page); -1 after an error. */
long m_place(void *address, long bytes, m_scope_t scope);

/** @{ */
/** One-sided. A remote address is the caller's address of its own instance: a file-scope or static variable, or memory
 *  of m_malloc. m_msg_put copies `size` bytes to `dest_addr` on `dest_rank`; when they are visible there, `*dest_rply`
 *  there grows by one, atomically (NULL: no reply word). m_msg_get copies from `source_addr` on `src_rank` to
 *  `dest_addr` here. The other process need not call anything. A handle is complete when the data have arrived. */
handle_t m_msg_put(int dest_rank, void *source_addr, void *dest_addr, long size, int *dest_rply);
handle_t m_msg_get(int src_rank, void *source_addr, void *dest_addr, long size);
/** @} */
/** @{ */
/** Blocking forms. */
int m_msg_put_wait(int dest_rank, void *source_addr, void *dest_addr, long size, int *dest_rply);
int m_msg_get_wait(int src_rank, void *source_addr, void *dest_addr, long size);
/** @} */
/** @{ */
/** One-sided in blocks: `size` bytes in blocks of `block`, of which the last may have fewer; strides from block start
 *  to block start, on either side. `block` > 0 and strides >= `block`; all three say nothing when `size` <= `block`.
 *  Inside a node process one copy, and to and from memory of m_malloc between those of one machine; else packed into few
 *  messages. The reply word grows by one in all. */
handle_t m_msg_put_stride(int dest_rank, void *source_addr, void *dest_addr, long size, long block,
                          long source_stride, long dest_stride, int *dest_rply);
handle_t m_msg_get_stride(int src_rank, void *source_addr, void *dest_addr, long size, long block,
                          long source_stride, long dest_stride);
int m_msg_put_stride_wait(int dest_rank, void *source_addr, void *dest_addr, long size, long block,
                          long source_stride, long dest_stride, int *dest_rply);
int m_msg_get_stride_wait(int src_rank, void *source_addr, void *dest_addr, long size, long block,
                          long source_stride, long dest_stride);
/** @} */
/** Waits for a one-sided handle and releases it. */
int m_wait_msg(handle_t handle);
/** 1 when complete (the handle is released), 0 when not yet. */
int m_test_msg(handle_t handle);
/** Blocks until `*reply >= count`; helps others meanwhile. */
int m_wait_reply(int *reply, int count);

/* ---- Aggregation: many small one-sided operations as few messages --------------------------------------------- */

/** Gathers small puts, gets and additions by node process. They leave when a buffer is full, at m_aggregator_flush, and
 *  when the thread that made them waits in a message call; they are complete, and results are here, after a flush. In
 *  between they are in no order, neither among each other nor with other messages. Those for ranks of the caller's node
 *  process are done at once, and those on memory of m_malloc of ranks in other node processes of the machine most times.
 *  The targets need not call anything. Remote addresses are symmetric, as of m_msg_put. Used by one thread at a time. */
typedef struct m_aggregator *m_aggregator_t;

/** A new aggregator with buffers of `buffer_size` bytes for each other node process: 0, the usual 16 KB, or from 256
 *  on. NULL on an error. */
m_aggregator_t m_aggregator_open(long buffer_size);
/** Flushes and releases it. */
int m_aggregator_close(m_aggregator_t aggregator);
/** Sends what was gathered and blocks until all of it is done at the targets and all results are here. */
int m_aggregator_flush(m_aggregator_t aggregator);

/** @{ */
/** May block while many buffers are on their way. m_aggregator_put has taken the data when it returns; m_aggregator_get
 *  fills `dest_addr`, and m_aggregator_fetch_add stores the value before the addition in `*former`, until the next flush
 *  ends. Additions are atomic among each other; `dest_addr` is aligned as a long. What is larger than a quarter of a
 *  buffer goes on its own. */
int m_aggregator_put(m_aggregator_t aggregator, int dest_rank, const void *source_addr, void *dest_addr, long size);
int m_aggregator_get(m_aggregator_t aggregator, int src_rank, const void *source_addr, void *dest_addr, long size);
int m_aggregator_add(m_aggregator_t aggregator, int dest_rank, long *dest_addr, long value);
int m_aggregator_fetch_add(m_aggregator_t aggregator, int dest_rank, long *dest_addr, long value, long *former);
/** @} */

/* ---- Collectives: all members of the scope call, in the same order ---------------------------------------------- *
 *
 * In kernels, too: over CCC_ARRAY all accelerator threads call; over the other scopes one thread of each process, and
 * a second one that calls meanwhile is refused. Process code has no members of CCC_ARRAY. */

/** Types of elements: the C type of the same name. */
typedef enum m_type_t {
  M_CHAR, M_SIGNED_CHAR, M_UNSIGNED_CHAR, M_SHORT, M_UNSIGNED_SHORT, M_INT, M_UNSIGNED, M_LONG, M_UNSIGNED_LONG,
  M_LONG_LONG, M_UNSIGNED_LONG_LONG, M_FLOAT, M_DOUBLE,
  M_INT_INT, M_LONG_INT, M_FLOAT_INT, M_DOUBLE_INT /**< value and index, for M_MINLOC and M_MAXLOC */
} m_type_t;

/** Element of M_INT_INT. */
typedef struct m_int_int {
  int value; /**< compared */
  int index; /**< goes with the value; the smaller one wins between equal values */
} m_int_int;
/** Element of M_LONG_INT. */
typedef struct m_long_int {
  long value; /**< compared */
  int index; /**< goes with the value; the smaller one wins between equal values */
} m_long_int;
/** Element of M_FLOAT_INT. */
typedef struct m_float_int {
  float value; /**< compared */
  int index; /**< goes with the value; the smaller one wins between equal values */
} m_float_int;
/** Element of M_DOUBLE_INT. */
typedef struct m_double_int {
  double value; /**< compared */
  int index; /**< goes with the value; the smaller one wins between equal values */
} m_double_int;

/** M_AND, M_OR, M_XOR work on the bits of integers. */
typedef enum m_op_t { M_SUM, M_PROD, M_MIN, M_MAX, M_AND, M_OR, M_XOR, M_MINLOC, M_MAXLOC } m_op_t;

/** Nobody returns before all have called. */
int m_barrier(m_scope_t scope);
/** @{ */
/** `root` is a rank in `scope`. Counts are elements, per member where several buffers are meant. Buffers of source and
 *  result may be the same address (in place) in m_reduce, m_allreduce and m_scan; otherwise they must not overlap. */
int m_bcast(m_scope_t scope, void *buffer, long count, m_type_t type, int root);
int m_reduce(m_scope_t scope, const void *source, void *result, long count, m_type_t type, m_op_t op, int root);
int m_allreduce(m_scope_t scope, const void *source, void *result, long count, m_type_t type, m_op_t op);
int m_gather(m_scope_t scope, const void *source, void *result, long count, m_type_t type, int root);
int m_allgather(m_scope_t scope, const void *source, void *result, long count, m_type_t type);
int m_scatter(m_scope_t scope, const void *source, void *result, long count, m_type_t type, int root);
int m_alltoall(m_scope_t scope, const void *source, void *result, long count, m_type_t type);
/** @} */
/** Displacements are elements from the start of the buffer. */
int m_alltoallv(m_scope_t scope, const void *source, const long *source_counts, const long *source_displacements,
                void *result, const long *result_counts, const long *result_displacements, m_type_t type);
/** Inclusive prefix reduction in rank order. */
int m_scan(m_scope_t scope, const void *source, void *result, long count, m_type_t type, m_op_t op);

/** Mutual exclusion among the members of the caller's `scope`; `id` >= 0 names the lock; not recursive. */
int m_lock(m_scope_t scope, int id);
/** @{ */
/** Sets *taken to 1 when the lock was free and is now the caller's, else to 0. */
int m_trylock(m_scope_t scope, int id, int *taken);
int m_unlock(m_scope_t scope, int id);
/** @} */

#ifdef __PARALLELC_CHECK__
/** Checked builds: ends the job with the place of `call` when its scratchpad side is not wholly in the caller's
 *  scratchpad. */
void taihu_check_transfer(const void *scratchpad, size_t bytes, const char *call, const char *file, int line);

#define TAIHU_CHECKED_TRANSFER(call, parameters, arguments)                                        \
  static __inline__ __attribute__((unused)) int taihu_checked_##call parameters {                  \
    taihu_check_transfer(scratchpad, bytes, #call, file, line);                                    \
    return call arguments;                                                                         \
  }
TAIHU_CHECKED_TRANSFER(dma_get, (void *scratchpad, const void *memory, size_t bytes, const char *file, int line),
                       (scratchpad, memory, bytes))
TAIHU_CHECKED_TRANSFER(dma_put, (void *memory, const void *scratchpad, size_t bytes, const char *file, int line),
                       (memory, scratchpad, bytes))
TAIHU_CHECKED_TRANSFER(dma_iget,
                       (void *scratchpad, const void *memory, size_t bytes, int *reply, const char *file, int line),
                       (scratchpad, memory, bytes, reply))
TAIHU_CHECKED_TRANSFER(dma_iput,
                       (void *memory, const void *scratchpad, size_t bytes, int *reply, const char *file, int line),
                       (memory, scratchpad, bytes, reply))
TAIHU_CHECKED_TRANSFER(dma_bcast, (void *scratchpad, const void *memory, size_t bytes, const char *file, int line),
                       (scratchpad, memory, bytes))
TAIHU_CHECKED_TRANSFER(dma_get_stride,
                       (void *scratchpad, const void *memory, size_t bytes, size_t block, size_t stride,
                        const char *file, int line),
                       (scratchpad, memory, bytes, block, stride))
TAIHU_CHECKED_TRANSFER(dma_put_stride,
                       (void *memory, const void *scratchpad, size_t bytes, size_t block, size_t stride,
                        const char *file, int line),
                       (memory, scratchpad, bytes, block, stride))
TAIHU_CHECKED_TRANSFER(dma_iget_stride,
                       (void *scratchpad, const void *memory, size_t bytes, int *reply, size_t block, size_t stride,
                        const char *file, int line),
                       (scratchpad, memory, bytes, reply, block, stride))
TAIHU_CHECKED_TRANSFER(dma_iput_stride,
                       (void *memory, const void *scratchpad, size_t bytes, int *reply, size_t block, size_t stride,
                        const char *file, int line),
                       (memory, scratchpad, bytes, reply, block, stride))
#undef TAIHU_CHECKED_TRANSFER
#define dma_get(spm, mem, bytes) taihu_checked_dma_get(spm, mem, bytes, __FILE__, __LINE__)
#define dma_put(mem, spm, bytes) taihu_checked_dma_put(mem, spm, bytes, __FILE__, __LINE__)
#define dma_iget(spm, mem, bytes, reply) taihu_checked_dma_iget(spm, mem, bytes, reply, __FILE__, __LINE__)
#define dma_iput(mem, spm, bytes, reply) taihu_checked_dma_iput(mem, spm, bytes, reply, __FILE__, __LINE__)
#define dma_bcast(spm, mem, bytes) taihu_checked_dma_bcast(spm, mem, bytes, __FILE__, __LINE__)
#define dma_get_stride(spm, mem, bytes, block, stride) \
  taihu_checked_dma_get_stride(spm, mem, bytes, block, stride, __FILE__, __LINE__)
#define dma_put_stride(mem, spm, bytes, block, stride) \
  taihu_checked_dma_put_stride(mem, spm, bytes, block, stride, __FILE__, __LINE__)
#define dma_iget_stride(spm, mem, bytes, reply, block, stride) \
  taihu_checked_dma_iget_stride(spm, mem, bytes, reply, block, stride, __FILE__, __LINE__)
#define dma_iput_stride(mem, spm, bytes, reply, block, stride) \
  taihu_checked_dma_iput_stride(mem, spm, bytes, reply, block, stride, __FILE__, __LINE__)
#endif

#ifdef __cplusplus
}
#endif

#endif
