// SPDX-License-Identifier: Apache-2.0
// Running programs that stay for the next call (kept_program.h).
#pragma once

#include <cstddef>
#include <vector>

#include "taihu/collective/kept_program.h"
#include "taihu/collective/leaders.h"

namespace taihu::collective {

/// The caller's.
KeptPrograms& kept_programs(GroupHandle& handle);

/// As Leaders::run, with the program in `kept`. A long one does not stay: making it is little beside its
/// messages, and it would take some kilobytes.
int run_kept(GroupHandle& handle, KeptProgram& kept, int code, ProgramBuffers buffers,
             const Reduction* reduction);

/// The program of the last call with this key, else the one of `make()`, whose peers are those of `ranks()`.
template <class Make, class Ranks>
KeptProgram& kept_or_made(GroupHandle& handle, const ProgramKey& key, Make&& make, Ranks&& ranks) {
  KeptProgram& kept = kept_programs(handle).of(key.call);
  if (kept.key != key) [[unlikely]] {
    kept.key = {};
    kept.program = make();
    kept.program.name_peers(ranks());
    kept.key = key;
  }
  return kept;
}

/// As run_among_all, with the program of the last call with this key, else the one of `make()`.
template <class Make>
int run_kept_among_all(GroupHandle& handle, const ProgramKey& key, ProgramBuffers buffers,
                       const Reduction* reduction, Make&& make) {
  const auto ranks = [&]() -> const std::vector<int>& { return handle.membership().ranks; };
  return run_kept(handle, kept_or_made(handle, key, make, ranks), M_SUCCESS, buffers, reduction);
}

/// As run_among_all, with a program that `write(program)` puts into the memory of the one before; its peers
/// are members.
template <class Write>
int run_rewritten_among_all(GroupHandle& handle, Call call, int code, ProgramBuffers buffers, Write&& write) {
  KeptProgram& kept = kept_programs(handle).of(call);
  kept.key = {};
  kept.program.steps.clear();
  kept.program.scratch = 0;
  write(kept.program);
  kept.program.name_peers(handle.membership().ranks);
  return run_kept(handle, kept, code, buffers, nullptr);
}

}  // namespace taihu::collective
