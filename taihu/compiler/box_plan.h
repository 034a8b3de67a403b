// SPDX-License-Identifier: Apache-2.0
// Which nests of loops work in tiles on boxes in the scratchpad (parcc --auto-dma), and why others do not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taihu/compiler/box_accesses.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

struct BoxPlan {
  llvm::Loop* root = nullptr;
  llvm::Loop* inner = nullptr;  ///< not null: tiles of two loops, whose iterations change their order
  std::vector<PlannedBox> boxes;
  std::vector<std::pair<llvm::Value*, bool>> guards;  ///< conditions that must be so when the root begins
  std::vector<const llvm::SCEV*> positive;            ///< what must be above 0 then
  std::vector<std::string> left;                      ///< objects that stay in main memory, and why
  std::string refused;                                ///< not empty: nothing is staged
  std::string changing;       ///< a loop in it whose length is not the same in all rounds
  std::string meeting;        ///< what it reads lies in what it writes, in all runs
  std::string not_reordered;  ///< why not two loops, when that was asked
};

/// For a loop in simplified form, closed over its values. Tiles of two loops where that may be, with
/// `is_nest`.
BoxPlan plan_boxes(llvm::Loop& root, bool is_nest, const FunctionFacts& facts,
                   const std::vector<KernelLayout>& layouts);

/// Whether a loop without others in it is better off with boxes than with two buffers for each stream: it
/// steps further than these take.
bool wants_boxes(llvm::Loop& loop, const FunctionFacts& facts);

}  // namespace taihu::compiler
