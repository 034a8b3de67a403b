// SPDX-License-Identifier: Apache-2.0
// The ranks of a test: threads of it.
#pragma once

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/parallel/thread_communicator.h"

namespace taihu::parallel {

/// run_ranks() for a body with assertions: one that fails ends the program, because the other ranks may wait
/// for the rank that has left.
inline void on_ranks(int ranks, const std::function<void(Communicator&)>& body) {
  run_ranks(ranks, [&](Communicator& mine) {
    body(mine);
    end_program_on_failure();
  });
}

}  // namespace taihu::parallel
