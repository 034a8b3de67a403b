// SPDX-License-Identifier: Apache-2.0
// Whether two parts of one object that a loop accesses have bytes in common, as far as the compiler can tell.
#pragma once

#include <optional>
#include <utility>

#include "llvm/Analysis/ScalarEvolution.h"

namespace taihu::compiler {

enum class Meeting { never, sometimes, always };

/// Bytes [low, high) from where a part begins.
struct PartExtent {
  long low = 0, high = 0;
};

/// `extent` of one access after all iterations of a loop whose steps have `step` bytes. None when their
/// number is not a constant.
std::optional<PartExtent> after_loop(PartExtent extent, long step, const llvm::Loop& loop,
                                     llvm::ScalarEvolution& evolution);

/// Of parts that begin at `one` and at `other` when `root` begins. Sometimes, when nothing else is known.
Meeting meeting_of(const llvm::SCEV* one, std::optional<PartExtent> extent, const llvm::SCEV* other,
                   std::optional<PartExtent> other_extent, const llvm::Loop& root,
                   llvm::ScalarEvolution& evolution);

}  // namespace taihu::compiler
