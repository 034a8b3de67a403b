// SPDX-License-Identifier: Apache-2.0
// The ranks of a test, each with the threads and the memory that the solver needs.
#pragma once

#include "taihu/amg/parallel/context.h"
#include "taihu/parallel/ranks_for_tests.h"

namespace taihu::amg {

/// Runs body(context) on `ranks` ranks with `threads` threads each. What a rank throws is thrown again.
inline void on_ranks(int ranks, int threads, const std::function<void(const Context&)>& body) {
  parallel::on_ranks(ranks, [&](parallel::Communicator& communicator) {
    parallel::Team team(threads);
    Storage storage;
    body(Context{team, storage, communicator});
  });
}

}  // namespace taihu::amg
