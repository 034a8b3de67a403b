// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/idle_threads.h"

#include "taihu/base/error.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

namespace taihu::parallelc {

int IdleThreads::count() noexcept {
  threads::ThreadArray& array = *process_.array;
  const SharedServices& services = *process_.services;
  if (services.node_ranks * array.threads_of_system() > services.cores) return 1;
  if (threads::current_member() != nullptr || !array.is_idle()) return 1;
  return array.cores_used();
}

bool IdleThreads::run(const Work& work) noexcept {
  try {
    process_.array->run(
        work.call, work.argument,
        {[](void* endpoint) { static_cast<message::Endpoint*>(endpoint)->progress(); }, process_.endpoint});
    return true;
  } catch (const Error&) {
    return false;  // the system refuses threads; a kernel of the program would tell
  }
}

}  // namespace taihu::parallelc
