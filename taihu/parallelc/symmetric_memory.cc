// SPDX-License-Identifier: Apache-2.0
// m_malloc and m_free: every process makes the same calls on a heap of its own, so every block has the same
// offset everywhere. That the calls are the same is checked in the exchange that makes them collective.
#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/known_objects.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

/// Waits for all processes; M_SUCCESS when all have made the same calls so far.
int compare_histories(const char* call, Process& process) {
  const long history = static_cast<long>(process.heap->history() >> 1);
  long extremes[2] = {history, -history};
  m_allreduce(CCC_ALL, extremes, extremes, 2, M_LONG, M_MAX);
  if (extremes[0] == -extremes[1]) return M_SUCCESS;
  return fail(M_ERROR_ARGUMENT,
              "the processes called m_malloc and m_free with different sizes or in different order", "%s()",
              call);
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

void* m_malloc(size_t size) {
  Process& process = this_process("m_malloc");
  const CountedCall counted(process, "m_malloc", static_cast<long>(size));
  void* memory = process.heap->allocate(size);
  if (memory != nullptr) {
    const taihu_object block{static_cast<const char*>(memory), size};
    known_objects().add({&block, 1});
  }
  return compare_histories("m_malloc", process) == M_SUCCESS ? memory : nullptr;
}

void m_free(void* memory) {
  Process& process = this_process("m_free");
  const CountedCall counted(process, "m_free");
  m_barrier(CCC_ALL);  // no process uses the memory any more
  if (!process.heap->release(memory)) {
    fail(M_ERROR_ARGUMENT, "not memory of m_malloc", "m_free(memory=%p)", memory);
    return;
  }
  const taihu_object block{static_cast<const char*>(memory), 0};
  known_objects().remove({&block, 1});
}

}  // extern "C"
