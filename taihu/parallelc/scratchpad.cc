// SPDX-License-Identifier: Apache-2.0
// Scratchpad memory and transfers between it and main memory. On a cached processor a transfer is a copy by
// the calling thread, so an asynchronous one is complete when its call returns; its reply word says so.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "taihu/abi/parallelc.h"
#include "taihu/message/strided_blocks.h"
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

int transfer(const char* call, void* target, const void* source, size_t bytes, int* reply) {
  if (scratchpad_of_caller(call) == nullptr) return M_ERROR_CONTEXT;
  std::memcpy(target, source, bytes);
  if (reply != nullptr) std::atomic_ref<int>(*reply).fetch_add(1, std::memory_order_release);
  return M_SUCCESS;
}

enum class Gaps { at_source, at_target };

/// The side in main memory has blocks with gaps between them.
int transfer_blocks(const char* call, Gaps gaps, void* target, const void* source, size_t bytes, int* reply,
                    size_t block, size_t stride) {
  if (scratchpad_of_caller(call) == nullptr) return M_ERROR_CONTEXT;
  const auto size = static_cast<long>(bytes), size_of_block = static_cast<long>(block);
  const long distance = static_cast<long>(stride);
  if (const char* problem = problem_of_blocks(size, size_of_block, distance, distance)) {
    return fail(M_ERROR_ARGUMENT, problem, "%s(bytes=%zu, block=%zu, stride=%zu)", call, bytes, block,
                stride);
  }
  const Blocks blocks = blocks_of(size, size_of_block, distance);
  message::StridedShape shape{bytes, blocks.block, blocks.block, blocks.block};
  (gaps == Gaps::at_source ? shape.source_stride : shape.target_stride) = blocks.stride;
  message::copy_blocks(target, source, shape);
  if (reply != nullptr) std::atomic_ref<int>(*reply).fetch_add(1, std::memory_order_release);
  return M_SUCCESS;
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

void* spm_malloc(size_t bytes) {
  auto* scratchpad = scratchpad_of_caller("spm_malloc");
  return scratchpad != nullptr ? scratchpad->allocate(bytes) : nullptr;
}

void spm_free(void* memory) {
  if (memory == nullptr) return;
  auto* scratchpad = scratchpad_of_caller("spm_free");
  if (scratchpad != nullptr && !scratchpad->release(memory)) {
    fail(M_ERROR_ARGUMENT, "not memory of this thread's spm_malloc", "spm_free(memory=%p)", memory);
  }
}

size_t spm_available(void) {
  auto* scratchpad = scratchpad_of_caller("spm_available");
  return scratchpad != nullptr ? scratchpad->available_bytes() : 0;
}

int dma_get(void* scratchpad, const void* memory, size_t bytes) {
  return transfer("dma_get", scratchpad, memory, bytes, nullptr);
}

int dma_put(void* memory, const void* scratchpad, size_t bytes) {
  return transfer("dma_put", memory, scratchpad, bytes, nullptr);
}

int dma_iget(void* scratchpad, const void* memory, size_t bytes, int* reply) {
  return transfer("dma_iget", scratchpad, memory, bytes, reply);
}

int dma_iput(void* memory, const void* scratchpad, size_t bytes, int* reply) {
  return transfer("dma_iput", memory, scratchpad, bytes, reply);
}

int dma_get_stride(void* scratchpad, const void* memory, size_t bytes, size_t block, size_t stride) {
  return transfer_blocks("dma_get_stride", Gaps::at_source, scratchpad, memory, bytes, nullptr, block,
                         stride);
}

int dma_put_stride(void* memory, const void* scratchpad, size_t bytes, size_t block, size_t stride) {
  return transfer_blocks("dma_put_stride", Gaps::at_target, memory, scratchpad, bytes, nullptr, block,
                         stride);
}

int dma_iget_stride(void* scratchpad, const void* memory, size_t bytes, int* reply, size_t block,
                    size_t stride) {
  return transfer_blocks("dma_iget_stride", Gaps::at_source, scratchpad, memory, bytes, reply, block, stride);
}

int dma_iput_stride(void* memory, const void* scratchpad, size_t bytes, int* reply, size_t block,
                    size_t stride) {
  return transfer_blocks("dma_iput_stride", Gaps::at_target, memory, scratchpad, bytes, reply, block, stride);
}

int dma_bcast(void* scratchpad, const void* memory, size_t bytes) {
  const taihu::threads::Member* member = taihu::threads::current_member();
  if (scratchpad_of_caller("dma_bcast") == nullptr) return M_ERROR_CONTEXT;
  // Memory is read when all have called, and may be changed when the call returns: a barrier on either side.
  const Waiting waiting(this_process("dma_bcast"), "dma_bcast",
                        [] { return "for the other threads of CCC_ARRAY"; });
  member->array->barrier().wait();
  std::memcpy(scratchpad, memory, bytes);
  member->array->barrier().wait();
  return M_SUCCESS;
}

int dma_wait(int* reply, int count) {
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
  const taihu::memory::ScratchpadArena& arena = *thread->scratchpad;
  const char* problem = nullptr;
  if (!arena.contains(scratchpad, 1))
    problem = "is not in the scratchpad of the calling thread";
  else if (!arena.contains(scratchpad, bytes))
    problem = "runs over the end of the scratchpad";
  if (problem == nullptr) return;
  std::fprintf(stderr,
               "%s:%d: %s: rank %d, accelerator thread %d: the scratchpad side (%zu bytes at %p) %s\n", file,
               line, call, this_process(call).rank, m_rank(CCC_ARRAY), bytes, scratchpad, problem);
  m_abort(1);
}

void taihu_scratchpad_check(const char* function) {
  if (current_accelerator_thread() != nullptr) return;
  fail(M_ERROR_CONTEXT, "uses a __thread_local variable outside a kernel", "%s()", function);
}

}  // extern "C"
