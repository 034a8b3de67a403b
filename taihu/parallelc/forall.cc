// SPDX-License-Identifier: Apache-2.0
// The runtime's part of forall (abi/parallelc_compiler.h): who the caller is, regions of process code that
// run on the accelerator threads, and self-scheduling.
#include <cstdio>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"

using namespace taihu::parallelc;

namespace {

/// A dynamic loop of a thread that is no accelerator thread: it is the only member and takes everything at
/// once.
struct LoneLoop {
  unsigned long long number = 0;
  unsigned long long count = 0;  // 0: handed out
};
thread_local LoneLoop lone_loop;

}  // namespace

extern "C" {

void taihu_member(int scope, int* rank, int* size) {
  *rank = m_rank(static_cast<m_scope_t>(scope));
  *size = m_size(static_cast<m_scope_t>(scope));
}

void taihu_region_run(void (*body)(void* captured), void* captured, int scope) {
  if (scope != CCC_ARRAY || taihu::threads::current_member() != nullptr) {
    body(captured);
  } else {
    m_run(body, captured);
  }
}

unsigned long long taihu_dynamic_begin(unsigned long long count) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr) {
    lone_loop = {lone_loop.number + 1, count};
    return lone_loop.number;
  }
  if (thread->loop) {
    fail(M_ERROR_CONTEXT,
         "a forall with ANY over CCC_ARRAY inside another one; use another affinity in the inner one",
         "forall");
  }
  const taihu::threads::Member* member = taihu::threads::current_member();
  thread->loop = member->array->loops().begin(member->index, count);
  return ++thread->loop_number;
}

int taihu_dynamic_next(unsigned long long loop, unsigned long long* first, unsigned long long* length) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr) {
    if (lone_loop.number != loop || lone_loop.count == 0) return 0;
    *first = 0;
    *length = lone_loop.count;
    lone_loop.count = 0;
    return 1;
  }
  taihu::threads::Chunk chunk;
  if (!thread->loop || !thread->loop->next(&chunk)) {
    thread->loop.reset();
    return 0;
  }
  *first = chunk.first;
  *length = chunk.last - chunk.first;
  return 1;
}

void taihu_forall_failed(const char* reason, long long value) {
  const Process* process = current_process();
  std::fprintf(stderr, "parallelc: rank %d: forall: %s %lld\n", process != nullptr ? process->rank : -1,
               reason, value);
  m_abort(1);
  __builtin_unreachable();
}

}  // extern "C"
