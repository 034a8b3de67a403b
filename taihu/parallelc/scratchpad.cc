// SPDX-License-Identifier: Apache-2.0
// Scratchpad memory and transfers between it and main memory. A transfer is a copy by the calling thread, so
// an asynchronous one is complete when its call returns; its reply word says so. An engine on another core
// costs several times the copy, and a copy at the wait costs the same (docs/results/dma.md).
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "taihu/abi/parallelc.h"
#include "taihu/message/data/strided_blocks.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/strides.h"
#include "taihu/threads/crew.h"

namespace taihu::parallelc {
namespace {

/// The caller's scratchpad; null after the failure was reported.
memory::ScratchpadArena* scratchpad_of_caller(const char* call) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread != nullptr) return thread->scratchpad.get();
  fail(M_ERROR_CONTEXT, "called outside a kernel; only accelerator threads have scratchpad memory", "%s",
       call);
  return nullptr;
}

/// What is wrong with the scratchpad side of a transfer of the owner of `arena`, or null.
const char* problem_of_side(const memory::ScratchpadArena& arena, const void* side, size_t bytes) noexcept {
  if (bytes == 0 || arena.contains(side, bytes)) return nullptr;
  return arena.contains(side, 1) ? "the scratchpad side runs over the end of the scratchpad"
                                 : "the scratchpad side is not in the scratchpad of the calling thread";
}

/// M_SUCCESS when the caller may transfer `bytes` to or from `side`, else the code of the failure, reported.
int check_side(const char* call, const void* side, size_t bytes) {
  const memory::ScratchpadArena* arena = scratchpad_of_caller(call);
  if (arena == nullptr) return M_ERROR_CONTEXT;
  const char* problem = problem_of_side(*arena, side, bytes);
  if (problem == nullptr) [[likely]]
    return M_SUCCESS;
  return fail(M_ERROR_ARGUMENT, problem, "%s(scratchpad=%p, bytes=%zu)", call, side, bytes);
}

/// To the scratchpad, or from it.
enum class Direction { get, put };

int transfer(const char* call, Direction direction, void* target, const void* source, size_t bytes,
             int* reply) {
  const int code = check_side(call, direction == Direction::get ? target : source, bytes);
  if (code != M_SUCCESS) return code;
  time_transfer(bytes, reply);
  note_transfer(direction == Direction::get ? target : source, bytes, direction == Direction::get);
  if (bytes != 0) std::memcpy(target, source, bytes);
  if (reply != nullptr) std::atomic_ref<int>(*reply).fetch_add(1, std::memory_order_release);
  return M_SUCCESS;
}

int transfer_blocks(const char* call, Direction direction, void* target, const void* source, size_t bytes,
                    int* reply, size_t block, size_t stride) {
  const int code = check_side(call, direction == Direction::get ? target : source, bytes);
  if (code != M_SUCCESS) return code;
  const auto size = static_cast<long>(bytes), size_of_block = static_cast<long>(block);
  const long distance = static_cast<long>(stride);
  if (const char* problem = problem_of_blocks(size, size_of_block, distance, distance)) {
    return fail(M_ERROR_ARGUMENT, problem, "%s(bytes=%zu, block=%zu, stride=%zu)", call, bytes, block,
                stride);
  }
  const Blocks blocks = blocks_of(size, size_of_block, distance);
  const bool is_dense = blocks.stride == blocks.block || blocks.block == 0;
  time_transfer(bytes, reply, is_dense ? 1 : bytes / static_cast<size_t>(blocks.block));
  note_transfer(direction == Direction::get ? target : source, bytes, direction == Direction::get);
  message::StridedShape shape{bytes, blocks.block, blocks.block, blocks.block};
  (direction == Direction::get ? shape.source_stride : shape.target_stride) = blocks.stride;
  message::copy_blocks(target, source, shape);
  if (reply != nullptr) std::atomic_ref<int>(*reply).fetch_add(1, std::memory_order_release);
  return M_SUCCESS;
}

}  // namespace

// Memory is read when all have called, and may be changed when the call returns: a meeting on either side.
// Who comes last reads it, the others copy from there.
bool broadcast_to_all(Process& process, void* scratchpad, const void* memory, size_t bytes,
                      const char* call) {
  time_meeting();
  return broadcast_after_meeting(process, scratchpad, memory, bytes, call);
}

bool broadcast_after_meeting(Process& process, void* scratchpad, const void* memory, size_t bytes,
                             const char* call) {
  Broadcast& broadcast = process.broadcast;
  threads::ArrayBarrier& barrier = process.array->barrier();
  const Waiting waiting(process, call, [] { return "for the other threads of CCC_ARRAY"; });
  time_broadcast(bytes);
  if (scratchpad != nullptr) note_transfer(scratchpad, bytes, true);
  bool has_read = false;
  barrier.wait_and_then([&] {
    has_read = scratchpad != nullptr;
    if (has_read && bytes != 0) std::memcpy(scratchpad, memory, bytes);
    broadcast = {memory, has_read ? scratchpad : memory, bytes};
  });
  const bool is_same = broadcast.memory == memory && broadcast.bytes == bytes;
  if (scratchpad != nullptr && is_same && !has_read && bytes != 0)
    std::memcpy(scratchpad, broadcast.source, bytes);
  barrier.wait();
  return is_same;
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

void* spm_malloc(size_t bytes) {
  if (scratchpad_of_caller("spm_malloc") == nullptr) return nullptr;
  return current_accelerator_thread()->copies->allocate(bytes);
}

void spm_free(void* memory) {
  if (memory == nullptr) return;
  auto* scratchpad = scratchpad_of_caller("spm_free");
  if (scratchpad != nullptr && !scratchpad->release(memory)) {
    fail(M_ERROR_ARGUMENT, "not memory of this thread's spm_malloc", "spm_free(memory=%p)", memory);
  }
}

size_t spm_available(void) {
  if (scratchpad_of_caller("spm_available") == nullptr) return 0;
  return current_accelerator_thread()->copies->available_bytes();
}

int dma_get(void* scratchpad, const void* memory, size_t bytes) {
  return transfer("dma_get", Direction::get, scratchpad, memory, bytes, nullptr);
}

int dma_put(void* memory, const void* scratchpad, size_t bytes) {
  return transfer("dma_put", Direction::put, memory, scratchpad, bytes, nullptr);
}

int dma_iget(void* scratchpad, const void* memory, size_t bytes, int* reply) {
  return transfer("dma_iget", Direction::get, scratchpad, memory, bytes, reply);
}

int dma_iput(void* memory, const void* scratchpad, size_t bytes, int* reply) {
  return transfer("dma_iput", Direction::put, memory, scratchpad, bytes, reply);
}

int dma_get_stride(void* scratchpad, const void* memory, size_t bytes, size_t block, size_t stride) {
  return transfer_blocks("dma_get_stride", Direction::get, scratchpad, memory, bytes, nullptr, block, stride);
}

int dma_put_stride(void* memory, const void* scratchpad, size_t bytes, size_t block, size_t stride) {
  return transfer_blocks("dma_put_stride", Direction::put, memory, scratchpad, bytes, nullptr, block, stride);
}

int dma_iget_stride(void* scratchpad, const void* memory, size_t bytes, int* reply, size_t block,
                    size_t stride) {
  return transfer_blocks("dma_iget_stride", Direction::get, scratchpad, memory, bytes, reply, block, stride);
}

int dma_iput_stride(void* memory, const void* scratchpad, size_t bytes, int* reply, size_t block,
                    size_t stride) {
  return transfer_blocks("dma_iput_stride", Direction::put, memory, scratchpad, bytes, reply, block, stride);
}

int dma_bcast(void* scratchpad, const void* memory, size_t bytes) {
  if (scratchpad_of_caller("dma_bcast") == nullptr) return M_ERROR_CONTEXT;
  Process& process = this_process("dma_bcast");
  // A thread with a wrong call takes part, or the others would wait for ever.
  const int code = check_side("dma_bcast", scratchpad, bytes);
  const bool is_same =
      broadcast_to_all(process, code == M_SUCCESS ? scratchpad : nullptr, memory, bytes, "dma_bcast");
  if (code != M_SUCCESS || is_same) return code;
  return fail(M_ERROR_ARGUMENT, "another thread of the array calls with other memory or bytes",
              "dma_bcast(memory=%p, bytes=%zu)", memory, bytes);
}

int dma_wait(int* reply, int count) {
  time_transfer_wait(reply, count);
  const auto are_complete = [&] {
    return std::atomic_ref<int>(*reply).load(std::memory_order_acquire) >= count;
  };
  const Waiting waiting(this_process("dma_wait"), "dma_wait", reply, count);
  // What other threads of the kernel have not started yet they may start as long as they run.
  const taihu::threads::Member* member = taihu::threads::current_member();
  for (int turn = 0; !are_complete() && member != nullptr && member->array->running() > 1; ++turn) {
    if (taihu::threads::give_way()) continue;
    if (turn < 100) {
      sched_yield();
    } else {
      usleep(50);
    }
  }
  if (are_complete()) return M_SUCCESS;
  return fail(M_ERROR_ARGUMENT,
              "fewer transfers were started on this reply word, so the wait would never end",
              "dma_wait(reply=%p with value %d, count=%d)", static_cast<void*>(reply), *reply, count);
}

void taihu_check_transfer(const void* scratchpad, size_t bytes, const char* call, const char* file,
                          int line) {
  const AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr) return;  // the transfer itself reports that
  const char* problem = problem_of_side(*thread->scratchpad, scratchpad, bytes);
  if (problem == nullptr) return;
  std::fprintf(stderr, "%s:%d: %s: rank %d, accelerator thread %d: %s (%zu bytes at %p)\n", file, line, call,
               this_process(call).rank, m_rank(CCC_ARRAY), problem, bytes, scratchpad);
  m_abort(1);
}

void taihu_scratchpad_check(const char* function) {
  if (current_accelerator_thread() != nullptr) return;
  fail(M_ERROR_CONTEXT, "uses a __thread_local variable outside a kernel", "%s()", function);
}

}  // extern "C"
