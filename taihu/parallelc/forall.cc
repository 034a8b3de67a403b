// SPDX-License-Identifier: Apache-2.0
// The runtime's part of forall (abi/parallelc_compiler.h): who the caller is, regions of process code that
// run on the accelerator threads, and self-scheduling.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

using namespace taihu::parallelc;

namespace {

/// A dynamic loop of a thread that is no accelerator thread: it is the only member and takes everything at
/// once.
struct LoneLoop {
  unsigned long long number = 0;
  unsigned long long count = 0;  // 0: handed out
};
thread_local LoneLoop lone_loop;

using taihu::tasks::SharedLoop;

/// 0: it is to be divided as BLOCK does. In a kernel every thread that enters the loop does all of its
/// process's part, so there is nothing to share.
unsigned long long begin_among_processes(m_scope_t scope, unsigned long long count) {
  Process& process = this_process("forall");
  if (kernel_member(process) != nullptr || m_size(scope) == 1) return 0;
  std::string problem;
  SharedLoop* const loop =
      process.services->loops.begin(static_cast<taihu::launch::Scope>(scope), process.rank, count, &problem);
  // There is no other way to go on than the end of the job.
  if (loop == nullptr) {
    std::fprintf(stderr, "parallelc: rank %d: forall (...; ANY; %s): %s\n", process.rank, name_of(scope),
                 problem.c_str());
    m_abort(1);
  }
  return reinterpret_cast<unsigned long long>(loop);
}

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

unsigned long long taihu_dynamic_begin(int scope, unsigned long long count) {
  if (scope != CCC_ARRAY) return begin_among_processes(static_cast<m_scope_t>(scope), count);
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
  if (thread->core != nullptr) {  // timed: whose turn it is must not depend on the host
    const auto size = static_cast<unsigned long long>(member->size);
    const auto index = static_cast<unsigned long long>(member->index);
    const unsigned long long share = count / size, rest = count % size;
    const unsigned long long first = index * share + std::min(index, rest);
    thread->fixed_part = {first, first + share + (index < rest ? 1 : 0)};
    return ++thread->loop_number;
  }
  thread->loop = member->array->loops().begin(member->index, count);
  return ++thread->loop_number;
}

int taihu_dynamic_next(int scope, unsigned long long loop, unsigned long long* first,
                       unsigned long long* length) {
  if (scope != CCC_ARRAY) {
    Process& process = this_process("forall");
    taihu::threads::Chunk chunk;
    if (!process.services->loops.next(reinterpret_cast<SharedLoop*>(loop), process.rank, &chunk)) return 0;
    *first = chunk.first;
    *length = chunk.last - chunk.first;
    return 1;
  }
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr) {
    if (lone_loop.number != loop || lone_loop.count == 0) return 0;
    *first = 0;
    *length = lone_loop.count;
    lone_loop.count = 0;
    return 1;
  }
  taihu::threads::Chunk chunk;
  if (thread->core != nullptr) {
    chunk = std::exchange(thread->fixed_part, {0, 0});
    *first = chunk.first;
    *length = chunk.last - chunk.first;
    return *length != 0 ? 1 : 0;
  }
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
