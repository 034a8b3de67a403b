// SPDX-License-Identifier: Apache-2.0
// Collectives of the language: argument checks in front of collective/. CCC_ARRAY is valid for the barrier only.
#include "taihu/collective/collectives.h"

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

/// Checked arguments of a collective call: the group, or null after a failure was reported into *code.
collective::GroupHandle* group_of(const char* call, m_scope_t scope, long count, int root, int* code) {
  Process& process = this_process(call);
  const char* problem = nullptr;
  if (scope < CCC_ALL || scope > CCC_NODE) problem = "not a process scope";
  else if (count < 0) problem = "negative count";
  else if (root < 0 || root >= m_size(scope)) problem = "no such root";
  *code = problem == nullptr ? M_SUCCESS
                             : fail(M_ERROR_ARGUMENT, problem, "%s(scope=%d, count=%ld, root=%d)", call, scope, count, root);
  return problem == nullptr ? &process.group(scope) : nullptr;
}

int report(const char* call, m_scope_t scope, long count, int code) {
  return code == M_SUCCESS ? code : fail(code, m_error_text(code), "%s(scope=%d, count=%ld)", call, scope, count);
}

/// Runs `body(group)` when the arguments hold.
template <class Body>
int collective_call(const char* call, m_scope_t scope, long count, int root, Body&& body) {
  int code;
  collective::GroupHandle* group = group_of(call, scope, count, root, &code);
  return group == nullptr ? code : report(call, scope, count, body(*group));
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;
namespace collective = taihu::collective;
