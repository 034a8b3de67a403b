// SPDX-License-Identifier: Apache-2.0
// The latest program of a member for each of the collectives that are short and frequent: to make a program,
// and the lists in it, takes longer than its messages between neighbouring processes.
#pragma once

#include <cstddef>

#include "taihu/collective/board.h"
#include "taihu/collective/program_run.h"
#include "taihu/message/endpoint.h"
#include "taihu/schedule/step.h"

namespace taihu::collective {

/// What makes the programs of a member differ from call to call.
struct ProgramKey {
  Call call = Call::none;
  int root = -1;
  std::size_t count = 0;
  std::size_t unit_bytes = 1;
  bool commutative = true;
  bool apart = false;
  bool operator==(const ProgramKey&) const = default;
};

struct KeptProgram {
  KeptProgram(message::Endpoint& endpoint, message::Context context, int tag) : run(endpoint, context, tag) {}

  ProgramKey key;             ///< of no call: there is none yet
  schedule::Program program;  ///< its peers are ranks of the job
  ProgramRun run;
};

/// Of one member of a group.
struct KeptPrograms {
  KeptPrograms(message::Endpoint& endpoint, message::Context context, int tag)
      : barrier(endpoint, context, tag), bcast(endpoint, context, tag), allreduce(endpoint, context, tag) {}

  KeptProgram barrier, bcast, allreduce;
};

}  // namespace taihu::collective
