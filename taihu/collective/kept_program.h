// SPDX-License-Identifier: Apache-2.0
// The latest program of a member for each collective: to make a program, and the lists in it, takes longer
// than its messages between neighbouring processes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

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

  ProgramKey key;             ///< of no call: there is none yet, or it is written anew for each call
  schedule::Program program;  ///< its peers are ranks of the job
  ProgramRun run;
};

/// Of one member of a group.
class KeptPrograms {
 public:
  KeptPrograms(message::Endpoint& endpoint, message::Context context, int tag)
      : endpoint_(endpoint), context_(context), tag_(tag) {}

  /// The one of `call`.
  KeptProgram& of(Call call) {
    std::unique_ptr<KeptProgram>& kept = programs_[static_cast<std::size_t>(call)];
    if (kept == nullptr) [[unlikely]]
      kept = std::make_unique<KeptProgram>(endpoint_, context_, tag_);
    return *kept;
  }

 private:
  message::Endpoint& endpoint_;
  const message::Context context_;
  const int tag_;
  std::array<std::unique_ptr<KeptProgram>, different_calls> programs_;
};

}  // namespace taihu::collective
