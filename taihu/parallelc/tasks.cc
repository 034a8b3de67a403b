// SPDX-License-Identifier: Apache-2.0
// get_task_id: argument checks in front of the task service of the node process.
#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

using namespace taihu::parallelc;

extern "C" long get_task_id(long total, const char* checkpoint_file, m_scope_t scope) {
  Process& process = this_process("get_task_id");
  const auto refuse = [&](int code, const char* reason) {
    fail(code, reason, "get_task_id(total=%ld, checkpoint_file=\"%s\", scope=%d)", total,
         checkpoint_file != nullptr ? checkpoint_file : "", scope);
    return -1L;
  };
  if (scope < CCC_ALL || scope > CCC_ARRAY) return refuse(M_ERROR_ARGUMENT, "no such scope");
  if (total < 0) return refuse(M_ERROR_ARGUMENT, "negative total");
  const taihu::tasks::TaskRound round(total, checkpoint_file != nullptr ? checkpoint_file : "");
  const taihu::threads::Member* member = kernel_member(process);
  const int index = member != nullptr ? member->index : taihu::tasks::process_code;
  std::string problem;
  const CountedCall counted(process, "get_task_id");
  const Waiting waiting(process, "get_task_id",
                        [&] { return std::string("for a task of ") + name_of(scope); });
  taihu::tasks::TaskService& tasks = process.services->tasks;
  const std::int64_t id = scope == CCC_ARRAY ? tasks.take_in_array(process.rank, index, round, &problem)
                                             : tasks.take(static_cast<taihu::launch::Scope>(scope),
                                                          process.rank, index, round, &problem);
  if (id == taihu::tasks::too_late) return M_TASKS_LEFT;
  return problem.empty() ? static_cast<long>(id) : refuse(M_ERROR_ARGUMENT, problem.c_str());
}
