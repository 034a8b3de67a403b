// SPDX-License-Identifier: Apache-2.0
// Which accesses of a loop go through buffers in the scratchpad (parcc --auto-dma), and why others do not.
#pragma once

#include <string>
#include <vector>

#include "taihu/compiler/layout.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

struct StreamAccess {
  llvm::Instruction* instruction = nullptr;
  llvm::Value* pointer = nullptr;
  long offset = 0;  ///< from the first access of the stream
  unsigned bytes = 0;
  bool is_certain = false;  ///< every iteration makes it
};

/// Accesses of one object that are a constant number of bytes apart and step together; also a whole object.
struct PlannedStream {
  const llvm::Value* object = nullptr;
  llvm::Loop* loop = nullptr;         ///< that steps; null: its address stays the same
  const llvm::SCEV* start = nullptr;  ///< address of the first access in iteration 0
  long step = 0;
  long low = 0, high = 0;  ///< bytes that an iteration may touch, relative to `start`
  long written_low = 0, written_high = 0;
  bool reads = false, writes = false;
  bool is_whole = false;           ///< all of the object, which is only read
  bool is_table = false;           ///< whole, where the run finds which object that is and that it gains
  unsigned long object_bytes = 0;  ///< not 0: the run looks whether the stream lies inside of it. Of a table:
                                   ///< bytes whose transfer the accesses of one iteration outweigh
  bool is_looked_up = false;       ///< the run looks in which object it lies, and that it lies inside of it
  bool is_perhaps_written = false;  ///< the run looks whether that object may be written
  bool is_staged = false;
  bool may_meet = false;  ///< another stream of its object in some runs; then it is not moved
  unsigned long half_bytes = 0;
  llvm::Constant* version = nullptr;  ///< not null: its copy may stay (kept_variables.h)
  std::vector<StreamAccess> accesses;
};

struct StagePlan {
  llvm::Loop* root = nullptr;
  bool is_kept = false;  ///< the streams stay in the scratchpad for all rounds of the root; else tiles of it
  std::vector<PlannedStream> streams;  ///< those not staged are compared with the others when it runs
  unsigned long tile = 0, least = 0;   ///< iterations
  std::vector<std::string> left;       ///< objects that stay in main memory, and why
  std::string refused;                 ///< not empty: nothing is staged
};

/// Of one loop.
inline constexpr std::size_t most_streams = 24;
/// Cycles of an access of a table beside the scratchpad's: it finds out first whether it lies inside.
inline constexpr double table_cycles = 4;

bool is_any_staged(const StagePlan& plan);

/// Sets `tile` and `least` of a plan that is ready else, or `refused` when it does not gain.
void set_tile(StagePlan& plan, const LayoutCosts& costs);

/// For a loop in simplified form, closed over its values. `layouts` are those of the kernels that run it.
StagePlan plan_stage(llvm::Loop& root, bool is_kept, const FunctionFacts& facts,
                     const std::vector<KernelLayout>& layouts, const LayoutCosts& costs);

}  // namespace taihu::compiler
