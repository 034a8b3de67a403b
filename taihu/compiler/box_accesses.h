// SPDX-License-Identifier: Apache-2.0
// Accesses of a nest of loops as boxes: where an object is reached by constant steps of the loops, what it
// touches is planes of rows of bytes (abi/box_staging.h).
#pragma once

#include <optional>
#include <vector>

#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "taihu/abi/box_staging.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

struct BoxAccess {
  llvm::Instruction* instruction = nullptr;
  long shift[3] = {};  ///< from the first access of the box: planes, rows, bytes
  unsigned bytes = 0;
  bool is_certain = false;  ///< every iteration of all loops makes it
};

/// A loop that moves a box.
struct BoxLoop {
  llvm::Loop* loop = nullptr;
  const llvm::SCEV* step = nullptr;  ///< bytes
  int way = TAIHU_BOX_WAYS;
  bool is_negative = false;
  bool operator==(const BoxLoop& other) const { return loop == other.loop && step == other.step; }
};

struct PlannedBox {
  const llvm::Value* object = nullptr;
  const llvm::SCEV* start = nullptr;  ///< address of the first access in the first iteration of all loops
  std::vector<BoxLoop> loops;         ///< outermost first
  const llvm::SCEV* pitch[2] = {};    ///< of planes and of rows; null: there is one
  std::vector<BoxAccess> accesses;
  long lowest[3] = {}, highest[3] = {0, 0, 0};  ///< of the shifts; the last one is the end of bytes
  long written[2] = {};                         ///< planes and rows by which what is written is shifted
  long written_low = 0, written_high = 0;       ///< bytes of a row
  bool reads = false, writes = false;
  bool is_whole = false;            ///< all of the object, which is only read, at places that the run knows
  unsigned long object_bytes = 0;   ///< not 0: the run looks whether the box lies inside of it
  bool is_looked_up = false;        ///< the run looks in which object it lies
  bool is_perhaps_written = false;  ///< the run looks whether that object may be written
  bool is_staged = false;
  llvm::Constant* version = nullptr;  ///< not null: its copy may stay (kept_variables.h)
  bool may_meet = false;              ///< another box of its object in some runs; then it is not moved

  const BoxLoop* moved_by(const llvm::Loop* loop) const;
};

/// Finds boxes of one root loop.
class BoxFinder {
 public:
  BoxFinder(llvm::Loop& root, const FunctionFacts& facts, const llvm::DataLayout& layout)
      : root_(root), facts_(facts), layout_(layout), expander_(facts.evolution, layout, "box") {}

  /// Its iterations are known before the root begins.
  bool is_counted(const llvm::Loop& loop);
  bool is_expandable(const llvm::SCEV* value);

  /// The box of one access; none: its address follows no steps.
  std::optional<PlannedBox> find(llvm::Instruction& instruction);
  /// Makes `box`, which find() returned, part of one of `boxes` or appends it.
  void join(const PlannedBox& box, std::vector<PlannedBox>& boxes);

  /// Steps that the run must find above 0.
  const std::vector<const llvm::SCEV*>& positive() const { return positive_; }

 private:
  bool set_ways(PlannedBox& box);
  bool set_shift(const PlannedBox& box, const llvm::SCEV* distance, long shift[3]);

  llvm::Loop& root_;
  const FunctionFacts& facts_;
  const llvm::DataLayout& layout_;
  llvm::SCEVExpander expander_;
  std::vector<const llvm::SCEV*> positive_;
};

/// Sets what each iteration writes or reads as a whole. Empty when that may be put back, else the reason.
std::string set_written(PlannedBox& box, llvm::ScalarEvolution& evolution);

/// Empty when the iterations of `outer` and of `inner`, which is in it, may be taken in tiles of both.
std::string why_not_reordered(const PlannedBox& box, const llvm::Loop* outer, const llvm::Loop* inner);

}  // namespace taihu::compiler
