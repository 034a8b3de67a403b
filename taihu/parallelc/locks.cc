// SPDX-License-Identifier: Apache-2.0
// Locks of the language, for processes and accelerator threads.
#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

namespace taihu::parallelc {
namespace {

using threads::LockResult;

/// On the modelled machine a lock is charged for the time for which it was held.
void time_lock(m_scope_t scope, int id) {
  if (auto* core = scope == CCC_ARRAY ? current_core() : nullptr; core != nullptr) core->lock_taken(id);
}

/// Runs `body(locks, group, owner)` when the arguments hold, and turns its result into a code.
template <class Body>
int lock_call(const char* call, m_scope_t scope, int id, Body&& body) {
  Process& process = this_process(call);
  const auto refuse = [&](int code, const char* reason) {
    return fail(code, reason, "%s(scope=%d, id=%d)", call, scope, id);
  };
  if (scope < CCC_ALL || scope > CCC_ARRAY) return refuse(M_ERROR_ARGUMENT, "no such scope");
  if (id < 0) return refuse(M_ERROR_ARGUMENT, "negative id");
  tasks::LockService& locks = process.services->locks;
  const tasks::LockGroup group = scope == CCC_ARRAY
                                     ? locks.array_group(process.rank)
                                     : locks.group(static_cast<launch::Scope>(scope), process.rank);
  const CountedCall counted(process, call);
  switch (body(locks, group, threads::current_lock_owner())) {
    case LockResult::recursive:
      return refuse(M_ERROR_CONTEXT, "the caller holds the lock already and would wait for ever");
    case LockResult::not_owner:
      return refuse(M_ERROR_CONTEXT, "the caller does not hold the lock");
    case LockResult::done:
    case LockResult::busy:
      return M_SUCCESS;
  }
  return M_SUCCESS;
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int m_lock(m_scope_t scope, int id) {
  return lock_call("m_lock", scope, id, [&](auto& locks, auto group, auto owner) {
    const Waiting waiting(this_process("m_lock"), "m_lock",
                          [&] { return "for lock " + std::to_string(id) + " of " + name_of(scope); });
    const LockResult result = locks.lock(group, id, owner);
    if (result == LockResult::done) time_lock(scope, id);
    return result;
  });
}

int m_trylock(m_scope_t scope, int id, int* taken) {
  return lock_call("m_trylock", scope, id, [&](auto& locks, auto group, auto owner) {
    const LockResult result = locks.try_lock(group, id, owner);
    *taken = result == LockResult::done ? 1 : 0;
    if (*taken != 0) time_lock(scope, id);
    return result;
  });
}

int m_unlock(m_scope_t scope, int id) {
  return lock_call("m_unlock", scope, id, [&](auto& locks, auto group, auto owner) {
    auto* core = scope == CCC_ARRAY ? current_core() : nullptr;
    if (core != nullptr) core->lock_given_back(id);
    return locks.unlock(group, id, owner);
  });
}

}  // extern "C"
