// SPDX-License-Identifier: Apache-2.0
// Ranks and sizes of scopes. Process scopes are contiguous blocks of ranks, so all answers are arithmetic on
// the layout.
#include <cstdio>
#include <cstdlib>

#include "taihu/abi/parallelc.h"
#include "taihu/base/clock.h"
#include "taihu/memory/libc/other_job.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {

static_assert(static_cast<int>(launch::Scope::all) == CCC_ALL &&
              static_cast<int>(launch::Scope::snode) == CCC_SNODE &&
              static_cast<int>(launch::Scope::bnode) == CCC_BNODE &&
              static_cast<int>(launch::Scope::node) == CCC_NODE);

void end_without_process(const char* call) {
  memory::libc::refuse_in_child(call);
  memory::libc::refuse_in_other_job(call, "mpi-node", "parcrun, which runs Parallel C programs");
  std::fprintf(
      stderr,
      "parallelc: %s: the calling thread belongs to no process of the job; call it from a thread that "
      "a process has started\n",
      call);
  std::abort();
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;
using taihu::launch::Scope;

extern "C" {

int m_rank(m_scope_t scope) {
  if (scope == CCC_ARRAY) {
    const taihu::threads::Member* member = taihu::threads::current_member();
    return member != nullptr ? member->index : 0;
  }
  const Process& process = this_process("m_rank");
  if (scope < CCC_ALL || scope > CCC_ARRAY)
    return fail(M_ERROR_ARGUMENT, "no such scope", "m_rank(scope=%d)", scope), -1;
  return process.rank % process.layout->size(static_cast<Scope>(scope));
}

int m_size(m_scope_t scope) {
  const Process& process = this_process("m_size");
  if (scope == CCC_ARRAY) return process.array->size();
  if (scope < CCC_ALL || scope > CCC_ARRAY)
    return fail(M_ERROR_ARGUMENT, "no such scope", "m_size(scope=%d)", scope), -1;
  return process.layout->size(static_cast<Scope>(scope));
}

int m_global_rank(m_scope_t scope, int rank) {
  const Process& process = this_process("m_global_rank");
  if (scope < CCC_ALL || scope > CCC_NODE) {
    return fail(M_ERROR_ARGUMENT, "not a process scope", "m_global_rank(scope=%d, rank=%d)", scope, rank), -1;
  }
  const Scope wanted = static_cast<Scope>(scope);
  if (rank < 0 || rank >= process.layout->size(wanted)) return -1;
  return process.layout->group_start(wanted, process.rank) + rank;
}

double m_wtime(void) {
  return 1e-9 * static_cast<double>(taihu::now_ns());
}

}  // extern "C"
