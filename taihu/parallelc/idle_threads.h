// SPDX-License-Identifier: Apache-2.0
// The accelerator threads of a process as helpers in its collectives, while they run no kernel.
#pragma once

#include "taihu/collective/helpers.h"

namespace taihu::parallelc {

struct Process;

class IdleThreads final : public collective::Helpers {
 public:
  /// `process` outlives this object.
  explicit IdleThreads(Process& process) noexcept : process_(process) {}

  /// 1 in kernels, while kernels run or are queued, and when the node has fewer cores than all threads need.
  int count() noexcept override;
  /// A kernel of all threads, which no count or trace sees; the first one starts them. Messages move on.
  bool run(const Work& work) noexcept override;

 private:
  Process& process_;
};

}  // namespace taihu::parallelc
